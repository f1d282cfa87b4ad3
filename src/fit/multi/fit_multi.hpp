#pragma once

#include "perfmodel/fit/fit_options.hpp"
#include "perfmodel/fit/fitted_model.hpp"

namespace perfmodel {

/// Fits a sum of product terms; called by fit().
FittedModel fit_multi(const ModelSpec& spec, const Design& training, const FitOptions& options);

}  // namespace perfmodel
