#pragma once

#include "perfmodel/model.hpp"

namespace perfmodel {

struct Fitter;

/// Fits the constants of the user's formula in `options`: differential evolution over those in
/// which it is not linear, then local refinement of all.
///
/// Throws UsageError for bounds on unknown constants, and InputError if the formula has no valid
/// times within the bounds or does not depend on a constant.
FittedModel fit_own(const ModelSpec& spec, const Design& training, const FitOptions& options);
const Fitter& own_fitter();

}  // namespace perfmodel
