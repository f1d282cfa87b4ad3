#include "fuzz/kernels.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "fuzz/targets.hpp"
#include "gp/matern.hpp"
#include "gp/tile_kernel.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/design.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit_options.hpp"
#include "perfmodel/table.hpp"
#include "search/eq4_kernel.hpp"
#include "search/search_space.hpp"
#include "sums/row_kernel.hpp"
#include "support/generated_runs.hpp"
#include "table/expressions.hpp"

namespace perfmodel::fuzz {
namespace {

using Numbers = std::vector<double>;

/// Numbers from bytes, front to back; 0 after their end.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t byte() {
    if (rest_.empty())
      return 0;
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return static_cast<std::uint8_t>(first);
  }
  /// From 0 to `most`, both included.
  std::size_t count(std::size_t most) { return byte() % (most + 1); }
  /// Any finite number of magnitude up to `most`, the exact bits of eight bytes if they are one.
  double number(double most) {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i)
      bits = bits << 8 | byte();
    const double value = std::bit_cast<double>(bits);
    return std::abs(value) <= most ? value : most * (static_cast<double>(bits) * 0x1p-63 - 1);
  }
  Numbers numbers(std::size_t count, double most) {
    Numbers out(count);
    for (double& value : out)
      value = number(most);
    return out;
  }

 private:
  std::string_view rest_;
};

bool same_bits(const Numbers& a, const Numbers& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
      });
}

bool is_near(double value, double expected, double relative) {
  return value == expected || std::abs(value - expected) <= relative * std::abs(expected) ||
         (std::isnan(value) && std::isnan(expected));
}

/// Calls `compute` for every instruction set of this machine; all results have the same bits.
/// Returns them.
template <class Compute>
Numbers of_all_sets(const std::string& what, const Compute& compute) {
  const Numbers out = compute(InstructionSet::baseline);
  for (const InstructionSet set : available_instruction_sets())
    require(same_bits(compute(set), out), what + " with " + std::string(to_text(set)));
  return out;
}

void check_functions(Bytes& bytes) {
  const std::size_t count = bytes.count(40);
  const Numbers exponents = bytes.numbers(count, 1e4);
  const Numbers exponentials = of_all_sets("exponentials", [&](InstructionSet set) {
    Numbers out = exponents;
    row_kernel::functions_for(set).exponentials(count, out.data());
    return out;
  });
  const Numbers logarithms = of_all_sets("logarithms", [&](InstructionSet set) {
    Numbers out = exponentials;
    row_kernel::functions_for(set).logarithms(count, out.data());
    return out;
  });
  for (std::size_t i = 0; i < count; ++i) {
    const double x = std::clamp(exponents[i], -708.0, 708.0);
    require(is_near(exponentials[i], std::exp(x), 1e-15), "an exponential");
    require(std::abs(logarithms[i] - std::log(exponentials[i])) <= 1e-15 * (1 + std::abs(x)),
            "a logarithm");
  }
}

void check_sums_of_products(Bytes& bytes) {
  const std::size_t rows = bytes.count(9);
  const std::size_t columns = 1 + bytes.count(20);
  const std::size_t weights = 1 + bytes.count(12);
  const std::size_t stride = (columns + row_kernel::kStrideMultiple - 1) /
                             row_kernel::kStrideMultiple * row_kernel::kStrideMultiple;
  const Numbers products = bytes.numbers(rows * stride, 1e100);
  const Numbers factors = bytes.numbers(rows * weights, 1e100);
  const auto used = [&](const Numbers& all) {
    Numbers out;
    for (std::size_t w = 0; w < weights; ++w)
      for (std::size_t c = 0; c < columns; ++c)
        out.push_back(all[w * stride + c]);
    return out;
  };
  const Numbers sums = of_all_sets("sums of products", [&](InstructionSet set) {
    Numbers out(weights * stride, 1);
    row_kernel::functions_for(set).add_products(rows, {products.data(), columns, stride},
                                                {factors.data(), weights, weights}, out.data());
    return used(out);
  });
  Numbers plain(weights * stride, 1);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t w = 0; w < weights; ++w)
      for (std::size_t c = 0; c < columns; ++c)
        plain[w * stride + c] += factors[row * weights + w] * products[row * stride + c];
  require(same_bits(sums, used(plain)), "sums of products one by one");
}

void check_tiles(Bytes& bytes) {
  using tile_kernel::kTileColumns;
  using tile_kernel::kTileRows;
  const std::size_t tiles = 1 + bytes.count(2);
  const std::size_t depth = bytes.count(6);
  const std::size_t rows = tiles * kTileRows;
  const Numbers a = bytes.numbers(rows * depth, 1e100);
  const Numbers b = bytes.numbers(kTileColumns * depth, 1e100);
  const Numbers c = bytes.numbers(rows * kTileColumns, 1e100);
  const Numbers differences = of_all_sets("products of tiles", [&](InstructionSet set) {
    Numbers out = c;
    tile_kernel::functions_for(set).subtract_product(tiles, depth, a.data(), b.data(), out.data(),
                                                     rows);
    return out;
  });
  Numbers plain = c;
  for (std::size_t tile = 0; tile < tiles; ++tile)
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t j = 0; j < kTileColumns; ++j)
        for (std::size_t i = 0; i < kTileRows; ++i)
          plain[tile * kTileRows + i + j * rows] -=
              a[(tile * depth + k) * kTileRows + i] * b[k * kTileColumns + j];
  require(same_bits(differences, plain), "products of tiles one by one");
}

/// B B' + I has a Cholesky factor, whose product with its transpose is the matrix again, and with
/// which columns are solved.
void check_factors(Bytes& bytes) {
  using Eigen::MatrixXd;
  const std::size_t size = 1 + bytes.count(20);
  const std::size_t rows =
      (size + tile_kernel::kTileRows - 1) / tile_kernel::kTileRows * tile_kernel::kTileRows;
  const auto n = static_cast<Eigen::Index>(size);
  const Numbers entries = bytes.numbers(size * size, 10);
  const MatrixXd half = MatrixXd::Map(entries.data(), n, n);
  const auto stored = static_cast<Eigen::Index>(rows);
  MatrixXd matrix = MatrixXd::Zero(stored, stored);
  matrix.topLeftCorner(n, n) = half * half.transpose() + MatrixXd::Identity(n, n);
  const Numbers packed(matrix.data(), matrix.data() + matrix.size());
  const auto lower = [&](const Numbers& all) {
    MatrixXd out = MatrixXd::Map(all.data(), stored, stored).topLeftCorner(n, n);
    out.triangularView<Eigen::StrictlyUpper>().setZero();
    return out;
  };
  const Numbers factor = of_all_sets("a Cholesky factor", [&](InstructionSet set) {
    Numbers out = packed;
    require(tile_kernel::functions_for(set).factorise(size, out.data(), rows),
            "a positive definite matrix");
    const MatrixXd own = lower(out);
    return Numbers(own.data(), own.data() + own.size());
  });
  const MatrixXd l = MatrixXd::Map(factor.data(), n, n);
  require((l * l.transpose() - matrix.topLeftCorner(n, n)).cwiseAbs().maxCoeff() <=
              1e-12 * matrix.cwiseAbs().maxCoeff(),
          "the product of a Cholesky factor");
  const Numbers right = bytes.numbers(tile_kernel::kTileRows * size, 10);
  const Numbers solved = of_all_sets(
      "solved columns",
      [&](InstructionSet set) {
        Numbers out = right;
        tile_kernel::functions_for(set).solve_columns(tile_kernel::kTileRows, size, factor.data(),
                                                      size, out.data(), tile_kernel::kTileRows);
        return out;
      });
  const auto shaped = [&](const Numbers& all) {
    return MatrixXd::Map(all.data(), tile_kernel::kTileRows, n);
  };
  const MatrixXd again = shaped(solved) * l.transpose();
  const double unit = (shaped(solved).cwiseAbs() * l.cwiseAbs().transpose()).maxCoeff();
  require((again - shaped(right)).cwiseAbs().maxCoeff() <= 1e-12 * (1 + unit), "solved columns");
}

void check_correlations(Bytes& bytes) {
  const std::size_t count = bytes.count(20);
  const Numbers values = bytes.numbers(count, 50);
  const matern::Correlation of{std::abs(bytes.number(20)), std::abs(bytes.number(0.999))};
  const matern::Places places{count, values.data(), bytes.number(50)};
  const Numbers correlations = of_all_sets("correlations", [&](InstructionSet set) {
    Numbers out(count);
    matern::functions_for(set).correlations(of, places, out.data());
    return out;
  });
  of_all_sets("slopes", [&](InstructionSet set) {
    Numbers out(2 * count);
    matern::functions_for(set).slopes(of, places, out.data(), out.data() + count);
    return out;
  });
  for (std::size_t i = 0; i < count; ++i) {
    const double a = std::sqrt(5.0) * std::abs(values[i] - places.from) * of.inverse_length;
    const double expected = of.share + (1 - of.share) * (1 + a + a * a / 3) * std::exp(-a);
    require(std::abs(correlations[i] - expected) <= 1e-13, "a correlation");
  }
}

/// Sums of losses of Eq. (4) over generated runs.
void check_losses(Bytes& bytes) {
  RandomStream random(bytes.byte() + 256U * bytes.byte(), "kernel");
  const test::GeneratedRuns runs = test::generated_runs(random);
  const Table table = derive_as_requested(runs.table(), runs.derived);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows(); ++row)
    rows.push_back(row);
  const ModelSpec spec = make_spec(table, resolve_roles(table, runs.roles()), rows);
  const Design design = make_design(table, spec, perfmodel::Target::required);
  FitOptions options;
  constexpr Loss losses[] = {Loss::mae, Loss::mape, Loss::mse, Loss::rmsle};
  options.loss = losses[bytes.count(3)];
  const WeightedRows weighted(design);
  const SearchSpace space(spec, weighted, options);
  const kernel::Plan plan(weighted, space, options.loss);
  const optimise::Bounds& box = space.coordinates();
  Eigen::MatrixXd candidates(box.size(), static_cast<Eigen::Index>(1 + bytes.count(10)));
  for (double& x : candidates.reshaped())
    x = bytes.byte() / 255.0;
  candidates = (candidates.array().colwise() * (box.upper - box.lower).array()).colwise() +
               box.lower.array();
  const auto count = static_cast<std::size_t>(candidates.cols());
  const Numbers no_limit(count, std::numeric_limits<double>::infinity());
  const Numbers sums = of_all_sets("losses", [&](InstructionSet set) {
    Numbers out(count);
    kernel::Evaluator(plan, 1, set)(candidates, no_limit, out);
    return out;
  });
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::VectorXd at = candidates.col(static_cast<Eigen::Index>(i));
    const Eigen::VectorXd raw = space.raw_from_scaled(space.scaled_from_coordinates(at));
    const double mean = loss_value(options.loss, design.time, predict_terms(spec, raw, design));
    const double sum =
        static_cast<double>(design.rows) * (options.loss == Loss::rmsle ? mean * mean : mean);
    require(!std::isfinite(sum) || is_near(sums[i], sum, 1e-9), "a sum of losses");
  }
}

}  // namespace

void read_kernel_inputs(std::string_view text) {
  Bytes bytes(text);
  constexpr void (*checks[])(Bytes&) = {check_functions, check_sums_of_products, check_tiles,
                                        check_factors,   check_correlations,     check_losses};
  checks[bytes.count(std::size(checks) - 1)](bytes);
}

}  // namespace perfmodel::fuzz
