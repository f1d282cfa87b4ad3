#pragma once

#include <cstddef>
#include <cstdint>

// Plain data only: this header is compiled with different instruction sets.

namespace perfmodel {

enum class InstructionSet : std::uint8_t;

}  // namespace perfmodel

namespace perfmodel::tile_kernel {

/// A tile of a matrix: so many rows and columns.
inline constexpr std::size_t kTileRows = 16;
inline constexpr std::size_t kTileColumns = 4;

/// For each of `tiles` tiles of rows, one below the other, and each place i, j in it
///
///     c[i + j * stride] -= a[k * kTileRows + i] * b[k * kTileColumns + j]
///
/// for k = 0, 1, ..., depth - 1. Each tile has its own `a`, one behind the other.
using SubtractProduct = void (*)(std::size_t tiles, std::size_t depth, const double* a,
                                 const double* b, double* c, std::size_t stride);

/// x := x L^-T, with x of `rows` rows and as many columns as L, a lower triangle: column-major.
using SolveColumns = void (*)(std::size_t rows, std::size_t columns, const double* lower,
                              std::size_t lower_stride, double* x, std::size_t stride);

/// Replaces the lower half of a symmetric matrix by its Cholesky factor; false where it is not
/// positive definite. `a` has `rows` rows and columns, which are whole tiles: those beyond the size
/// may have any finite value, and so may the upper half.
using Factorise = bool (*)(std::size_t size, double* a, std::size_t rows);

/// What takes the time of dense matrices, compiled for one instruction set. All give the same bits.
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
