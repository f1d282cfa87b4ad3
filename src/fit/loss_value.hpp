#pragma once

#include <Eigen/Core>

#include "perfmodel/fit/fit_options.hpp"

namespace perfmodel {

/// The loss of predictions, without any penalty.
double loss_value(Loss loss, const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted);

}  // namespace perfmodel
