#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>

namespace perfmodel::process {

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
