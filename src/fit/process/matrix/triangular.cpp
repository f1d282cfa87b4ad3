#include "fit/process/matrix/triangular.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

#include "base/tasks/stripes.hpp"
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

/// Rows or columns of a stripe that a thread works on: the fewer, the more often the other factor
/// is copied.
constexpr Index kStripe = 128;
/// Fewer multiplications take no longer than threads to start.
constexpr double kFewestForThreads = 1e7;

/// The first half, of whole small triangles.
Index first_part(Index size) {
  return ((size + 1) / 2 + kSmall - 1) / kSmall * kSmall;
}

double cubed(Index size) {
  return static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
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
  explicit Triangles(const DenseWork& work)
      : kernel_(tile_kernel::functions_for(work.instructions)), threads_(work.threads) {}

  /// Visits stripes of rows or columns, whose places do not depend on each other.
  void for_each_stripe(Index count, double multiplications,
                       const std::function<void(Index begin, Index own)>& visit) const {
    perfmodel::for_each_stripe(
        count, kStripe, multiplications < kFewestForThreads ? 1 : threads_,
        [&](Index begin, Index end) { visit(begin, end - begin); });
  }

  bool factorise(const Part& a, Index size) const {
    if (size <= kWhole)
      return factorise_whole(a, size);
    const Index first = first_part(size);
    const Index rest = size - first;
    if (!factorise(a, first))
      return false;
    const Part below = a.at(first, 0);
    const double products = static_cast<double>(rest) * static_cast<double>(first * first) / 2;
    for_each_stripe(rest, products, [&](Index begin, Index own) {
      solve_from_right(a, first, below.at(begin, 0), own);
    });
    const Part last = a.at(first, first);
    subtract_lower(rest, first, below.factor(), below.factor().transposed(), last);
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

  /// The lower half of a square.
  void subtract_lower(Index size, Index depth, const Factor& a, const Factor& b,
                      const Part& c) const {
    const double products = static_cast<double>(size * size) * static_cast<double>(depth) / 2;
    for_each_stripe(size, products, [&](Index begin, Index own) {
      subtract({size - begin, own, depth}, a.from_row(begin), b.from_column(begin),
               c.at(begin, begin), Places::lower);
    });
  }

  void subtract(const ProductSize& size, const Factor& a, const Factor& b, const Part& c,
                Places places = Places::all) const {
    subtract_product(kernel_, size, a, b, c.data, c.stride, places);
  }

 private:
  const Functions& kernel_;
  std::size_t threads_;

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

bool factorise(MatrixXd& matrix, const DenseWork& work) {
  return Triangles(work).factorise(part_of(matrix), matrix.rows());
}

void solve_forward(const MatrixXd& lower, MatrixXd& x, const DenseWork& work) {
  const Triangles triangles(work);
  const Index n = lower.rows();
  triangles.for_each_stripe(x.cols(),
                            static_cast<double>(n * n) * static_cast<double>(x.cols()) / 2,
                            [&](Index begin, Index own) {
                              triangles.solve(part_of(lower), n, part_of(x).at(0, begin), own);
                            });
}

void add_outer_product(const MatrixXd& factor, MatrixXd& matrix, const DenseWork& work) {
  const MatrixXd negative = -factor;
  Triangles(work).subtract_lower(matrix.rows(), factor.cols(), part_of(negative).factor(),
                                 part_of(factor).factor().transposed(), part_of(matrix));
}

MatrixXd inverse_of_lower(const MatrixXd& lower, const DenseWork& work) {
  const Triangles triangles(work);
  const Index n = lower.rows();
  const Part from = part_of(lower);
  MatrixXd out = MatrixXd::Identity(n, n);
  triangles.for_each_stripe(n, cubed(n) / 6, [&](Index first, Index stripe) {
    const Part x = part_of(out).at(0, first);
    for (Index i = first / kPanel * kPanel; i < n; i += kPanel) {
      const Index own = std::min(kPanel, n - i);
      const Index columns = std::min(i + own - first, stripe);  // beyond, these rows are zero
      triangles.solve(from.at(i, i), own, x.at(i, 0), columns);
      const Index below = n - i - own;
      if (below > 0)
        triangles.subtract({below, columns, own}, from.at(i + own, i).factor(), x.at(i, 0).factor(),
                           x.at(i + own, 0));
    }
  });
  return out;
}

MatrixXd squared_lower(const MatrixXd& lower, const DenseWork& work) {
  const Triangles triangles(work);
  const Index n = lower.rows();
  MatrixXd out = MatrixXd::Zero(n, n);
  triangles.for_each_stripe(n, cubed(n) / 6, [&](Index first, Index stripe) {
    for (Index i = first / kPanel * kPanel; i < n; i += kPanel) {
      const Index own = std::min(kPanel, n - i);
      const Index columns = std::min(i + own - first, stripe);
      const Factor rows = part_of(lower).at(i, first).factor();
      triangles.subtract({i + own - first, columns, own}, rows.transposed(), rows,
                         part_of(out).at(first, first), Places::lower);
    }
  });
  return -out;
}

}  // namespace perfmodel::process
