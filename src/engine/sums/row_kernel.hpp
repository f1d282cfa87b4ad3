#pragma once

#include <cstddef>
#include <cstdint>

// Plain data only: this header is compiled with different instruction sets.

namespace perfmodel {

enum class InstructionSet : std::uint8_t;

}  // namespace perfmodel

namespace perfmodel::row_kernel {

/// The stride of a matrix's rows, in doubles, is a multiple of this.
inline constexpr std::size_t kStrideMultiple = 16;

/// The first `columns` numbers of each row; rows are `stride` >= columns apart.
struct Rows {
  const double* data;
  std::size_t columns;
  std::size_t stride;
};

/// sums[w * products.stride + c] += sum over the `rows` rows r, in their order, of
///
///     weights(r, w) * products(r, c)
///
/// Columns between the last one and the stride may be summed too.
using AddProducts = void (*)(std::size_t rows, const Rows& products, const Rows& weights,
                             double* sums);

/// Replaces each number by a function of it.
using Replace = void (*)(std::size_t count, double* values);

/// The inner loops of a descent, compiled for one instruction set. All give the same bits.
struct Functions {
  AddProducts add_products;
  Replace exponentials;  ///< arguments are clamped to [-708, 708]
  Replace logarithms;    ///< of positive normal numbers
};

extern const Functions baseline;
extern const Functions avx2;
extern const Functions avx512;

const Functions& functions_for(InstructionSet instructions);

}  // namespace perfmodel::row_kernel
