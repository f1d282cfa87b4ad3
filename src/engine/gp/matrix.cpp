#include "gp/matrix.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "gp/tile_kernel.hpp"

namespace perfmodel::gp {

/// A block of a matrix or of its transpose: element (i, k) is data[i * row_step + k * column_step].
struct Factor {
  const double* data;
  Index row_step;
  Index column_step;

  Factor transposed() const { return {data, column_step, row_step}; }
  Factor from_row(Index row) const { return {data + row * row_step, row_step, column_step}; }
  Factor from_column(Index column) const {
    return {data + column * column_step, row_step, column_step};
  }
};

/// Which elements of a product are needed. With `lower`, those above the diagonal may get any
/// value.
enum class Places { all, lower };

struct ProductSize {
  Index rows;
  Index columns;
  Index depth;
};

/// c -= a b, summed in the order of the depth; c is column-major.
void subtract_product(const tile_kernel::Functions& kernel, const ProductSize& size,
                      const Factor& a, const Factor& b, double* c, Index stride,
                      Places places = Places::all);

}  // namespace perfmodel::gp

namespace perfmodel::tile_kernel {

const Functions& functions_for(InstructionSet instructions) {
  return one_for(instructions, baseline, avx2, avx512);
}

}  // namespace perfmodel::tile_kernel

namespace perfmodel::gp {
namespace {

constexpr auto kTileRows = static_cast<Index>(tile_kernel::kTileRows);
constexpr auto kTileColumns = static_cast<Index>(tile_kernel::kTileColumns);
/// Sizes of the packed blocks, which stay in the cache.
constexpr Index kMostDepth = 256;
constexpr Index kMostRows = 384;

Index tiles(Index count, Index of) {
  return (count + of - 1) / of;
}

double* grown(std::vector<double>& memory, Index size) {
  if (memory.size() < to_size(size))
    memory.resize(to_size(size));
  return memory.data();
}

/// Packs `count` rows of `lines` into tiles of `width` for the kernel, padded with zeros.
void pack(const Factor& lines, Index count, Index depth, Index width, double* out) {
  for (Index first = 0; first < count; first += width) {
    const Index own = std::min(width, count - first);
    const double* from = lines.data + first * lines.row_step;
    for (Index k = 0; k < depth; ++k, from += lines.column_step, out += width) {
      for (Index i = 0; i < own; ++i)
        out[i] = from[i * lines.row_step];
      for (Index i = own; i < width; ++i)
        out[i] = 0;
    }
  }
}

/// Packed factors of a block, and its size without padding.
struct Packed {
  const double* a;
  const double* b;
  ProductSize size;
};

/// A tile that reaches beyond the matrix.
void subtract_edge(const tile_kernel::Functions& kernel, const double* a, const double* b,
                   const ProductSize& size, double* c, Index stride) {
  std::array<double, tile_kernel::kTileRows * tile_kernel::kTileColumns> tile{};
  for (Index j = 0; j < size.columns; ++j)
    std::copy_n(c + j * stride, size.rows, tile.data() + j * kTileRows);
  kernel.subtract_product(1, to_size(size.depth), a, b, tile.data(), to_size(kTileRows));
  for (Index j = 0; j < size.columns; ++j)
    std::copy_n(tile.data() + j * kTileRows, size.rows, c + j * stride);
}

/// `first_row`: offset of c's first row from the diagonal, for Places::lower.
void subtract_packed(const tile_kernel::Functions& kernel, const Packed& packed, double* c,
                     Index stride, Places places, Index first_row) {
  const ProductSize& size = packed.size;
  for (Index j = 0; j < size.columns; j += kTileColumns) {
    const Index above = places == Places::lower ? std::max<Index>(0, j - first_row) : 0;
    const Index begin = above / kTileRows * kTileRows;
    if (begin >= size.rows)
      return;
    const Index columns = std::min(kTileColumns, size.columns - j);
    const Index whole_end = columns == kTileColumns ? size.rows / kTileRows * kTileRows : begin;
    const double* const b = packed.b + j * size.depth;
    if (begin < whole_end)
      kernel.subtract_product(to_size((whole_end - begin) / kTileRows), to_size(size.depth),
                              packed.a + begin * size.depth, b, c + begin + j * stride,
                              to_size(stride));
    for (Index i = std::max(begin, whole_end); i < size.rows; i += kTileRows)
      subtract_edge(kernel, packed.a + i * size.depth, b,
                    {std::min(kTileRows, size.rows - i), columns, size.depth}, c + i + j * stride,
                    stride);
  }
}

using tile_kernel::Functions;

/// Triangles up to this size are not divided further.
constexpr Index kSmall = 16;
/// Matrices up to this size are factorised as a whole, in the cache.
constexpr Index kWhole = 64;
/// Rows of an inverse that are computed at once.
constexpr Index kPanel = 64;

/// Rows or columns per task: the fewer, the more often the other factor is packed again.
constexpr Index kStripe = 128;
/// For fewer multiplications, starting threads takes longer than the work.
constexpr double kFewestForThreads = 1e7;

/// Size of the first half, a multiple of kSmall.
Index first_part(Index size) {
  return ((size + 1) / 2 + kSmall - 1) / kSmall * kSmall;
}

double cubed(Index size) {
  return static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
}

/// A block of a column-major matrix.
struct Part {
  double* data;
  Index stride;

  Part at(Index row, Index column) const { return {data + row + column * stride, stride}; }
  Factor factor() const { return {data, 1, stride}; }
};

Part part_of(MatrixXd& matrix) {
  return {matrix.data(), matrix.rows()};
}

/// The block is only read.
Part part_of(const MatrixXd& matrix) {
  return {const_cast<double*>(matrix.data()), matrix.rows()};  // NOLINT
}

class Triangles {
 public:
  explicit Triangles(const DenseWork& work)
      : kernel_(tile_kernel::functions_for(work.instructions)), threads_(work.threads) {}

  /// Visits stripes of rows or columns that are independent of each other.
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

  /// c -= a b in the lower half of the square c.
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
};

/// Fewer right-hand sides are solved for one after the other.
constexpr Index kColumnsInBlocks = 4;

/// Replaces each column x by triangle^-1 x.
template <class Triangle>
void solve_column_by_column(const Triangle& triangle, MatrixXd& x) {
  for (Index j = 0; j < x.cols(); ++j)
    triangle.solveInPlace(x.col(j));
}

}  // namespace

void subtract_product(const tile_kernel::Functions& kernel, const ProductSize& size,
                      const Factor& a, const Factor& b, double* c, Index stride, Places places) {
  thread_local std::vector<double> memory_of_a;
  thread_local std::vector<double> memory_of_b;
  for (Index k = 0; k < size.depth; k += kMostDepth) {
    const Index depth = std::min(kMostDepth, size.depth - k);
    double* const packed_b =
        grown(memory_of_b, tiles(size.columns, kTileColumns) * kTileColumns * depth);
    const Factor lines_of_b = b.transposed();
    pack({b.data + k * b.row_step, lines_of_b.row_step, lines_of_b.column_step}, size.columns,
         depth, kTileColumns, packed_b);
    for (Index i = 0; i < size.rows; i += kMostRows) {
      const Index rows = std::min(kMostRows, size.rows - i);
      double* const packed_a = grown(memory_of_a, tiles(rows, kTileRows) * kTileRows * depth);
      pack({a.data + i * a.row_step + k * a.column_step, a.row_step, a.column_step}, rows, depth,
           kTileRows, packed_a);
      subtract_packed(kernel, {packed_a, packed_b, {rows, size.columns, depth}}, c + i, stride,
                      places, i);
    }
  }
}

bool factorise(MatrixXd& matrix, const DenseWork& work) {
  return Triangles(work).factorise(part_of(matrix), matrix.rows());
}

void solve_forward(const MatrixXd& lower, MatrixXd& x, const DenseWork& work) {
  const Triangles triangles(work);
  const Index n = lower.rows();
  MatrixXd turned = x.transpose();
  triangles.for_each_stripe(
      x.cols(), static_cast<double>(n * n) * static_cast<double>(x.cols()) / 2,
      [&](Index begin, Index own) {
        triangles.solve_from_right(part_of(lower), n, part_of(turned).at(begin, 0), own);
      });
  x = turned.transpose();
}

MatrixXd inverse_of_lower(const MatrixXd& lower, const DenseWork& work) {
  const Triangles triangles(work);
  const Index n = lower.rows();
  const Part from = part_of(lower);
  MatrixXd turned = MatrixXd::Identity(n, n);
  triangles.for_each_stripe(n, cubed(n) / 6, [&](Index first, Index stripe) {
    const Part x = part_of(turned).at(first, 0);
    for (Index i = first / kPanel * kPanel; i < n; i += kPanel) {
      const Index own = std::min(kPanel, n - i);
      const Index rows = std::min(i + own - first, stripe);  // rows beyond are zero
      triangles.solve_from_right(from.at(i, i), own, x.at(0, i), rows);
      const Index after = n - i - own;
      if (after > 0)
        triangles.subtract({rows, after, own}, x.at(0, i).factor(),
                           from.at(i + own, i).factor().transposed(), x.at(0, i + own));
    }
  });
  return turned.transpose();
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

std::optional<PositiveMatrix> PositiveMatrix::factorised(MatrixXd matrix, std::size_t threads) {
  if (!factorise(matrix, {.threads = threads}) || !matrix.diagonal().allFinite())
    return std::nullopt;
  return PositiveMatrix(std::move(matrix), threads);
}

double PositiveMatrix::log_determinant() const {
  return 2 * lower_.diagonal().array().log().sum();
}

MatrixXd PositiveMatrix::whitened(MatrixXd right) const {
  if (right.cols() < kColumnsInBlocks)
    solve_column_by_column(lower_.triangularView<Eigen::Lower>(), right);
  else
    solve_forward(lower_, right, {.threads = threads_});
  return right;
}

MatrixXd PositiveMatrix::solve(MatrixXd right) const {
  right = whitened(std::move(right));
  const auto upper = lower_.triangularView<Eigen::Lower>().adjoint();
  if (right.cols() < kColumnsInBlocks)
    solve_column_by_column(upper, right);
  else
    upper.solveInPlace(right);
  return right;
}

VectorXd PositiveMatrix::inverse_last() const {
  const Index last = size() - 1;
  VectorXd out = VectorXd::Unit(size(), last) / lower_(last, last);
  lower_.triangularView<Eigen::Lower>().adjoint().solveInPlace(out);
  return out;
}

MatrixXd PositiveMatrix::inverse_lower() const {
  const DenseWork work{.threads = threads_};
  return squared_lower(inverse_of_lower(lower_, work), work);
}

VectorXd PositiveMatrix::inverse_diagonal() const {
  return inverse_of_lower(lower_, {.threads = threads_}).colwise().squaredNorm();
}

}  // namespace perfmodel::gp
