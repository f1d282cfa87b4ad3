#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <string>

#include "perfmodel/data/metrics.hpp"
#include "perfmodel/fit/fitted_model.hpp"
#include "perfmodel/model/design.hpp"

namespace perfmodel::cli {

/// The predicted time of every row. Throws InputError with the place of the first that is no time,
/// as `where` names it: a model can reach 0 or less where it extrapolates, and overflow a double.
Eigen::VectorXd predicted_times(const FittedModel& model, const Design& design,
                                const std::function<std::string(std::size_t row)>& where);

/// How far the model is from the measured times of a design. Throws InputError, with `part` to say
/// where, if its predictions are too large for the errors to be numbers.
Metrics measure(const FittedModel& model, const Design& design, const std::string& part);

}  // namespace perfmodel::cli
