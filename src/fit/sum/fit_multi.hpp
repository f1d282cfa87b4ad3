#pragma once

#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

/// Fits a sum of product terms; called by fit().
FittedModel fit_multi(const ModelSpec& spec, const Design& training, const FitOptions& options);

}  // namespace perfmodel
