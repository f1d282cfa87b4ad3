#pragma once

#include "fit/identify.hpp"

namespace perfmodel {

/// What the training rows say about the constants of a fitted sum of product terms.
Findings identify_sum(const FittedModel& model, const Design& training, const FitOptions& options);

}  // namespace perfmodel
