#pragma once

#include <Eigen/Core>
#include <optional>

namespace perfmodel::process {

/// A symmetric positive definite matrix by its Cholesky factor L: A = L L'.
class PositiveMatrix {
 public:
  /// Nothing where the matrix is not positive definite. Its lower half counts.
  static std::optional<PositiveMatrix> factorised(Eigen::MatrixXd matrix);

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

  explicit PositiveMatrix(Eigen::MatrixXd lower) : lower_(std::move(lower)) {}
};

}  // namespace perfmodel::process
