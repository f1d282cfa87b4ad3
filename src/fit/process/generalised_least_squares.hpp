#pragma once

#include <Eigen/Core>
#include <span>

#include "fit/process/likelihood.hpp"
#include "fit/process/positive_matrix.hpp"
#include "fit/process/trend.hpp"

namespace perfmodel::process {

struct TrendEstimate {
  Eigen::VectorXd constants;
  double level = 0;
  Eigen::VectorXd residual;    ///< y - level - ln f
  Eigen::MatrixXd covariance;  ///< of the constants, the level last
};

/// The constants of the trend that minimise
///
///   (y - level - ln f)' V^-1 (y - level - ln f) + sum_k ((c_k - start_k) / deviation_k)^2
///
/// by at most so many Gauss-Newton steps, one of which is exact where ln f is linear; V: process
/// and noise.
TrendEstimate generalised_least_squares(const Trend& trend, std::span<const Eigen::Index> rows,
                                        const Eigen::VectorXd& y, const PositiveMatrix& covariance,
                                        const Eigen::VectorXd& deviations, double level_deviation,
                                        std::size_t most_steps = 30);

}  // namespace perfmodel::process
