#pragma once

#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// What the constants of a fitted sum minimise, in the units of the data: the loss over the runs,
/// and the penalties of their powers and of the logarithms of their factors (see SumGoal).
double sum_cost(const FittedModel& model, const Design& runs, const FitOptions& options);

}  // namespace perfmodel
