#include "fit/process/matrix/product.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "base/to_size.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;

constexpr auto kTileRows = static_cast<Index>(tile_kernel::kTileRows);
constexpr auto kTileColumns = static_cast<Index>(tile_kernel::kTileColumns);
/// What is copied at once stays in the cache.
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

/// `count` lines of a factor in tiles of `width`, as the kernel wants them; zero beyond the last.
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

/// What is packed, and how much of it counts.
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

/// `first_row`: how far c is below the diagonal, where the lower half alone is wanted.
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

}  // namespace perfmodel::process
