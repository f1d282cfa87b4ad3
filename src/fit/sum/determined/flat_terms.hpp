#pragma once

#include <string>
#include <vector>

#include "fit/determined/sensitivity.hpp"
#include "fit/sum/terms/sum_parts.hpp"

namespace perfmodel {

/// The flat directions of a sum of product terms in the user's words; none is said twice.
/// `sensitivity` is that of the part.
std::vector<std::string> describe_flat_terms(const Sensitivity& sensitivity, const SumPart& part);

}  // namespace perfmodel
