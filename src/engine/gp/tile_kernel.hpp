#pragma once

#include <cstddef>
#include <cstdint>

// Plain data only: this header is compiled with different instruction sets.

namespace perfmodel {

enum class InstructionSet : std::uint8_t;

}  // namespace perfmodel

namespace perfmodel::tile_kernel {

/// Rows and columns of a tile, the block of a matrix that stays in registers.
inline constexpr std::size_t kTileRows = 16;
inline constexpr std::size_t kTileColumns = 4;

/// For each of `tiles` tiles, stacked vertically, and each of its elements i, j
///
///     c[i + j * stride] -= a[k * kTileRows + i] * b[k * kTileColumns + j]
///
/// for k = 0, 1, ..., depth - 1. Each tile has its own `a`; they are stored one after the other.
using SubtractProduct = void (*)(std::size_t tiles, std::size_t depth, const double* a,
                                 const double* b, double* c, std::size_t stride);

/// x := x L^-T, x being rows x columns, L lower triangular, both column-major.
using SolveColumns = void (*)(std::size_t rows, std::size_t columns, const double* lower,
                              std::size_t lower_stride, double* x, std::size_t stride);

/// Replaces the lower half of a symmetric size x size matrix by its Cholesky factor; false if it is
/// not positive definite. `a` is stored with `rows` rows, a multiple of kTileRows, and as many
/// columns: elements beyond the size and above the diagonal may have any finite value.
using Factorise = bool (*)(std::size_t size, double* a, std::size_t rows);

/// The inner loops of dense algebra, compiled for one instruction set. All give the same bits.
struct Functions {
  SubtractProduct subtract_product;
  SolveColumns solve_columns;
  Factorise factorise;
};

extern const Functions baseline;
extern const Functions avx2;
extern const Functions avx512;

const Functions& functions_for(InstructionSet instructions);

}  // namespace perfmodel::tile_kernel
