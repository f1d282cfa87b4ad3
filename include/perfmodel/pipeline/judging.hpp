#pragma once

#include <Eigen/Core>
#include <string>

#include "perfmodel/data/metrics.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// How far predictions are from the measured times of a design. Throws InputError, with `part` to
/// say where, if the errors are no numbers.
Metrics measure(const Design& design, const Eigen::VectorXd& predicted, const std::string& part);
Metrics measure(const FittedModel& model, const Design& design, const std::string& part);

}  // namespace perfmodel
