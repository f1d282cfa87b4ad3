#pragma once

#include <Eigen/Core>

#include "fit/process/matrix/tile_kernel.hpp"

namespace perfmodel::process {

/// A part of a matrix, or of its transpose: place i, k is data[i * row_step + k * column_step].
struct Factor {
  const double* data;
  Eigen::Index row_step;
  Eigen::Index column_step;

  Factor transposed() const { return {data, column_step, row_step}; }
  Factor from_row(Eigen::Index row) const { return {data + row * row_step, row_step, column_step}; }
  Factor from_column(Eigen::Index column) const {
    return {data + column * column_step, row_step, column_step};
  }
};

/// Which places of a product are wanted. Of the lower half, those above the diagonal may have any
/// value.
enum class Places { all, lower };

struct ProductSize {
  Eigen::Index rows;
  Eigen::Index columns;
  Eigen::Index depth;
};

/// c -= a b, in the order of the depth; c is column-major.
void subtract_product(const tile_kernel::Functions& kernel, const ProductSize& size,
                      const Factor& a, const Factor& b, double* c, Eigen::Index stride,
                      Places places = Places::all);

}  // namespace perfmodel::process
