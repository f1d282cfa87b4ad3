#pragma once

// Plain data only: this header is compiled with different instruction sets.
#include <cstddef>

namespace perfmodel::products {

/// Columns of `products` come in multiples of this.
inline constexpr std::size_t kColumnMultiple = 16;

/// sums[w * columns + c] += sum over the rows r, in their order, of
///
///     weights[r * weight_count + w] * products[r * columns + c]
using Add = void (*)(std::size_t rows, const double* products, std::size_t columns,
                     const double* weights, std::size_t weight_count, double* sums);

void add_baseline(std::size_t, const double*, std::size_t, const double*, std::size_t, double*);
void add_avx2(std::size_t, const double*, std::size_t, const double*, std::size_t, double*);
void add_avx512(std::size_t, const double*, std::size_t, const double*, std::size_t, double*);

}  // namespace perfmodel::products
