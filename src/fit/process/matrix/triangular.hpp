#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "perfmodel/fit/simd/instruction_set.hpp"

namespace perfmodel::process {

// Triangular matrices in blocks, as fast as the processor's vectors allow: the same bits with any
// instruction set and any number of threads. Of the matrices named `lower` the lower half counts.

struct DenseWork {
  std::size_t threads = 1;
  InstructionSet instructions = best_instruction_set();
};

/// Replaces the lower half of a symmetric matrix by its Cholesky factor; whatever is left above the
/// diagonal has no meaning. False where the matrix is not positive definite.
bool factorise(Eigen::MatrixXd& matrix, const DenseWork& work = {});

/// Replaces x by lower^-1 x.
void solve_forward(const Eigen::MatrixXd& lower, Eigen::MatrixXd& x, const DenseWork& work = {});

/// Adds the lower half of factor factor' to that of a symmetric matrix; what is above the diagonal
/// has no meaning then.
void add_outer_product(const Eigen::MatrixXd& factor, Eigen::MatrixXd& matrix,
                       const DenseWork& work = {});

/// lower^-1, zero above the diagonal.
Eigen::MatrixXd inverse_of_lower(const Eigen::MatrixXd& lower, const DenseWork& work = {});

/// The lower half of lower' lower, of a matrix that is zero above its diagonal.
Eigen::MatrixXd squared_lower(const Eigen::MatrixXd& lower, const DenseWork& work = {});

}  // namespace perfmodel::process
