#pragma once

#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// Fits Eq. (4): differential evolution on a sample of the rows, then an exact finish on all.
FittedModel fit_generic(const ModelSpec& spec, const Design& training, const FitOptions& options);

}  // namespace perfmodel
