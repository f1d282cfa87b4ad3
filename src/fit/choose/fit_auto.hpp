#pragma once

#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

/// Fits the form that cross-validation chooses, with a residual process where that predicts better.
FittedModel fit_auto(const ModelSpec& spec, const Design& training, const FitOptions& options);

}  // namespace perfmodel
