#pragma once

#include <optional>

#include "fit/determined/findings.hpp"

namespace perfmodel {

/// What the training rows say about the constants of a fitted sum of product terms; nothing where a
/// stop was requested before a large sum was looked through.
std::optional<Findings> identify_sum(const FittedModel& model, const Design& training,
                                     const FitOptions& options);

}  // namespace perfmodel
