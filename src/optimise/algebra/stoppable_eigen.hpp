#pragma once

#include <Eigen/Core>
#include <stop_token>

namespace perfmodel {

struct Eigensystem {
  Eigen::VectorXd values;  ///< ascending
  Eigen::MatrixXd vectors;
};

/// Of a symmetric matrix, of which the lower half counts: bit by bit what
/// Eigen::SelfAdjointEigenSolver finds, but a stop is looked at on the way. Throws Interrupted.
Eigensystem decompose_symmetric(const Eigen::MatrixXd& matrix, const std::stop_token& stop);

}  // namespace perfmodel
