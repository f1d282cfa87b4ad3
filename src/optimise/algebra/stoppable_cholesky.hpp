#pragma once

#include <Eigen/Core>
#include <stop_token>

namespace perfmodel {

/// The Cholesky factors of a symmetric matrix, of which the lower half counts: bit by bit those of
/// Eigen::LLT, but a stop is looked at between the panels of a large matrix.
class StoppableCholesky {
 public:
  StoppableCholesky(Eigen::MatrixXd matrix, const std::stop_token& stop);

  /// There are no factors: a stop was requested before they were complete.
  bool stopped() const { return stopped_; }
  /// Whether the matrix is positive definite; if not, what is solved has no meaning.
  bool is_positive() const { return positive_; }

  Eigen::VectorXd solve(Eigen::VectorXd right) const;

 private:
  Eigen::MatrixXd factors_;
  bool stopped_ = false;
  bool positive_ = true;

  void factorise(const std::stop_token& stop);
};

}  // namespace perfmodel
