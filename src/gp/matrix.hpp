#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>

#include "perfmodel/progress.hpp"

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

/// A symmetric positive definite matrix by its Cholesky factor L: A = L L'.
class PositiveMatrix {
 public:
  /// Nothing where the matrix is not positive definite. Its lower half counts. `threads`: for this
  /// and for what is asked of the factor.
  static std::optional<PositiveMatrix> factorised(Eigen::MatrixXd matrix, std::size_t threads = 1);

  Eigen::Index size() const { return lower_.rows(); }
  double log_determinant() const;
  /// L^-1 right.
  Eigen::MatrixXd whitened(Eigen::MatrixXd right) const;
  Eigen::MatrixXd solve(Eigen::MatrixXd right) const;
  /// The last column of A^-1.
  Eigen::VectorXd inverse_last() const;
  /// The lower half of A^-1; n^3 / 3 multiplications, where solving for the identity takes n^3.
  Eigen::MatrixXd inverse_lower() const;
  /// In half of that.
  Eigen::VectorXd inverse_diagonal() const;

 private:
  Eigen::MatrixXd lower_;  ///< the upper half has no meaning
  std::size_t threads_ = 1;

  PositiveMatrix(Eigen::MatrixXd lower, std::size_t threads)
      : lower_(std::move(lower)), threads_(threads) {}
};

}  // namespace perfmodel::process
