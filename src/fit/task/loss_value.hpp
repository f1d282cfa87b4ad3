#pragma once

#include <Eigen/Core>

#include "perfmodel/fit/task/fit_options.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// s of the loss soft_l1: errors of ln(time) beyond it count by their size, not its square.
inline constexpr double kSoftness = 0.1;

/// What each row adds to the mean; of rmsle to the mean square, whose root is the loss.
Eigen::ArrayXd row_losses(Loss loss, const Eigen::VectorXd& measured,
                          const Eigen::VectorXd& predicted);

/// The loss of predictions for measured times. Both have at least one row and are positive.
double loss_value(Loss loss, const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted);

/// The same of rows that may stand for several runs.
double loss_value(Loss loss, const Design& runs, const Eigen::VectorXd& predicted);

/// The loss of being wrong by `time`, for the losses that have a unit; 1 for the others.
double loss_of_time(Loss loss, double time);

/// Means of absolute errors: their optima lie where some rows are met exactly.
bool is_absolute(Loss loss);
/// Means of squared errors, or functions of them.
bool is_squared(Loss loss);

}  // namespace perfmodel
