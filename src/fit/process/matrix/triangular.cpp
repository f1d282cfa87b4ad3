#include "fit/process/matrix/triangular.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/to_size.hpp"
#include "fit/process/matrix/product.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using tile_kernel::Functions;

/// Triangles up to this size are not parted any more.
constexpr Index kSmall = 16;
/// Matrices up to this size are factorised as a whole, in the cache.
constexpr Index kWhole = 64;
/// Columns that are solved for at once in a small triangle.
constexpr Index kColumnsAtOnce = 64;
/// Rows of an inverse that are found at once.
constexpr Index kPanel = 64;

/// The first half, of whole small triangles.
Index first_part(Index size) {
  return ((size + 1) / 2 + kSmall - 1) / kSmall * kSmall;
}

/// Of a column-major matrix the part from a place on.
struct Part {
  double* data;
  Index stride;

  Part at(Index row, Index column) const { return {data + row + column * stride, stride}; }
  Factor factor() const { return {data, 1, stride}; }
};

Part part_of(MatrixXd& matrix) {
  return {matrix.data(), matrix.rows()};
}

/// It is only read.
Part part_of(const MatrixXd& matrix) {
  return {const_cast<double*>(matrix.data()), matrix.rows()};  // NOLINT
}

class Triangles {
 public:
  explicit Triangles(InstructionSet instructions)
      : kernel_(tile_kernel::functions_for(instructions)) {}

  bool factorise(const Part& a, Index size) const {
    if (size <= kWhole)
      return factorise_whole(a, size);
    const Index first = first_part(size);
    const Index rest = size - first;
    if (!factorise(a, first))
      return false;
    const Part below = a.at(first, 0);
    solve_from_right(a, first, below, rest);
    const Part last = a.at(first, first);
    subtract({rest, rest, first}, below.factor(), below.factor().transposed(), last, Places::lower);
    return factorise(last, rest);
  }

  /// x := lower^-1 x.
  void solve(const Part& lower, Index size, const Part& x, Index columns) const {
    if (size <= kSmall) {
      solve_small(lower, size, x, columns);
      return;
    }
    const Index first = first_part(size);
    const Index rest = size - first;
    solve(lower, first, x, columns);
    subtract({rest, columns, first}, lower.at(first, 0).factor(), x.factor(), x.at(first, 0));
    solve(lower.at(first, first), rest, x.at(first, 0), columns);
  }

  void subtract(const ProductSize& size, const Factor& a, const Factor& b, const Part& c,
                Places places = Places::all) const {
    subtract_product(kernel_, size, a, b, c.data, c.stride, places);
  }

 private:
  const Functions& kernel_;

  bool factorise_whole(const Part& a, Index size) const {
    std::array<double, kWhole * kWhole> own;  // NOLINT: what is not filled does not count
    constexpr auto tile = static_cast<Index>(tile_kernel::kTileRows);
    const Index rows = (size + tile - 1) / tile * tile;
    std::fill_n(own.data(), rows * rows, 0);
    for (Index j = 0; j < size; ++j)
      std::copy_n(a.at(j, j).data, size - j, own.data() + j * rows + j);
    if (!kernel_.factorise(to_size(size), own.data(), to_size(rows)))
      return false;
    for (Index j = 0; j < size; ++j)
      std::copy_n(own.data() + j * rows + j, size - j, a.at(j, j).data);
    return true;
  }

  /// x := x lower^-T.
  void solve_from_right(const Part& lower, Index size, const Part& x, Index rows) const {
    if (size <= kSmall) {
      kernel_.solve_columns(to_size(rows), to_size(size), lower.data, to_size(lower.stride), x.data,
                            to_size(x.stride));
      return;
    }
    const Index first = first_part(size);
    const Index rest = size - first;
    solve_from_right(lower, first, x, rows);
    subtract({rows, rest, first}, x.factor(), lower.at(first, 0).factor().transposed(),
             x.at(0, first));
    solve_from_right(lower.at(first, first), rest, x.at(0, first), rows);
  }

  /// As the transpose from the right, whose columns fill vectors.
  void solve_small(const Part& lower, Index size, const Part& x, Index columns) const {
    std::array<double, kSmall * kColumnsAtOnce> turned{};
    for (Index begin = 0; begin < columns; begin += kColumnsAtOnce) {
      const Index own = std::min(kColumnsAtOnce, columns - begin);
      const Part from = x.at(0, begin);
      for (Index j = 0; j < own; ++j)
        for (Index i = 0; i < size; ++i)
          turned[to_size(i * kColumnsAtOnce + j)] = from.data[j * from.stride + i];
      kernel_.solve_columns(to_size(own), to_size(size), lower.data, to_size(lower.stride),
                            turned.data(), kColumnsAtOnce);
      for (Index j = 0; j < own; ++j)
        for (Index i = 0; i < size; ++i)
          from.data[j * from.stride + i] = turned[to_size(i * kColumnsAtOnce + j)];
    }
  }
};

}  // namespace

bool factorise(MatrixXd& matrix, InstructionSet instructions) {
  return Triangles(instructions).factorise(part_of(matrix), matrix.rows());
}

void solve_forward(const MatrixXd& lower, MatrixXd& x, InstructionSet instructions) {
  Triangles(instructions).solve(part_of(lower), lower.rows(), part_of(x), x.cols());
}

void add_outer_product(const MatrixXd& factor, MatrixXd& matrix, InstructionSet instructions) {
  const MatrixXd negative = -factor;
  const Index n = matrix.rows();
  Triangles(instructions)
      .subtract({n, n, factor.cols()}, part_of(negative).factor(),
                part_of(factor).factor().transposed(), part_of(matrix), Places::lower);
}

MatrixXd inverse_of_lower(const MatrixXd& lower, InstructionSet instructions) {
  const Triangles triangles(instructions);
  const Index n = lower.rows();
  const Part from = part_of(lower);
  MatrixXd out = MatrixXd::Identity(n, n);
  const Part x = part_of(out);
  for (Index i = 0; i < n; i += kPanel) {
    const Index own = std::min(kPanel, n - i);
    const Index columns = i + own;  // beyond, these rows are zero
    triangles.solve(from.at(i, i), own, x.at(i, 0), columns);
    const Index below = n - columns;
    if (below > 0)
      triangles.subtract({below, columns, own}, from.at(columns, i).factor(), x.at(i, 0).factor(),
                         x.at(columns, 0));
  }
  return out;
}

MatrixXd squared_lower(const MatrixXd& lower, InstructionSet instructions) {
  const Triangles triangles(instructions);
  const Index n = lower.rows();
  MatrixXd out = MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; i += kPanel) {
    const Index own = std::min(kPanel, n - i);
    const Index columns = i + own;
    const Factor rows = part_of(lower).at(i, 0).factor();
    triangles.subtract({columns, columns, own}, rows.transposed(), rows, part_of(out),
                       Places::lower);
  }
  return -out;
}

}  // namespace perfmodel::process
