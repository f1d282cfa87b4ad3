#include "gp/kernel.hpp"

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "gp/likelihood.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::gp;
using Catch::Approx;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kNoTables = 0;

/// A number of few values, one of a value per row, and levels.
Inputs few_and_many_values(Index rows) {
  RandomStream random(1, "inputs of pairs", 0);
  Inputs out{.numbers = MatrixXd(rows, 2), .levels = {}};
  out.levels.resize(rows, 1);
  for (Index i = 0; i < rows; ++i) {
    out.numbers.row(i) << 0.3 * static_cast<double>(i % 4), random.normal();
    out.levels(i, 0) = static_cast<std::uint32_t>(i % 3);
  }
  return out;
}

VectorXd random_weights(Index rows) {
  RandomStream random(2, "weights of pairs", 0);
  return VectorXd::NullaryExpr(rows * (rows - 1) / 2, [&] { return random.normal(); });
}

/// sum of weights ln R over the pairs.
double weighted_logarithms(const Kernel& kernel, const CodedInputs& coded,
                           const std::vector<Index>& rows, const VectorXd& weights) {
  const MatrixXd correlations = PairTables(kernel, coded).among(rows);
  double out = 0;
  Index pair = 0;
  for (Index k = 0; k < correlations.cols(); ++k)
    for (Index i = k + 1; i < correlations.rows(); ++i)
      out += weights[pair++] * std::log(correlations(i, k));
  return out;
}

}  // namespace

TEST_CASE("slopes of pairs are those of the logarithms of their correlations", "[fit][process]") {
  const CodedInputs coded(few_and_many_values(30));
  const std::vector<Index> rows{3, 17, 4, 4, 29, 0, 8};
  const VectorXd weights = random_weights(7);
  const HyperLayout layout(coded);
  const VectorXd at{{0.4, -1, -0.5, 0.6, -0.7, 0, -3}};
  const Kernel kernel = layout.kernel(at);
  const VectorXd by_tables = PairSlopes(kernel, coded, PairTables::kManyPairs).sums(rows, weights);
  const VectorXd computed = PairSlopes(kernel, coded, kNoTables).sums(rows, weights);
  REQUIRE(by_tables.size() == 5);
  for (Index p = 0; p < by_tables.size(); ++p) {
    CAPTURE(p);
    constexpr double step = 1e-5;
    const auto moved = [&](double by) {
      return weighted_logarithms(layout.kernel(at + by * VectorXd::Unit(at.size(), p)), coded, rows,
                                 weights);
    };
    CHECK(by_tables[p] == Approx((moved(step) - moved(-step)) / (2 * step)).epsilon(1e-7));
    CHECK(computed[p] == Approx(by_tables[p]).epsilon(1e-12));
  }
}

TEST_CASE("correlations of pairs are the same from tables and computed one by one",
          "[fit][process]") {
  const CodedInputs coded(few_and_many_values(30));
  const std::vector<Index> rows{3, 17, 4, 4, 29, 0, 8};
  const Kernel kernel = HyperLayout(coded).kernel(VectorXd{{0.4, -1, -0.5, 0.6, -0.7, 0, -3}});
  CHECK(PairTables(kernel, coded).among(rows) == PairTables(kernel, coded, kNoTables).among(rows));
}
