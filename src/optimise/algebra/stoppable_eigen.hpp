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

/// Of A v = lambda M v with a symmetric A and a positive definite M: v' M v = 1. Not stopped.
Eigensystem decompose_generalised(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& metric);

}  // namespace perfmodel
