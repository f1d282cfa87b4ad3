#pragma once

#include <cstddef>

#include "fit/sum/choose/parting.hpp"
#include "fit/sum/choose/selection.hpp"
#include "fit/sum/terms/sum_of_terms.hpp"

namespace perfmodel {

std::size_t sum_starts(const FitOptions& options);

/// From how many places the minimum of a loss is searched that folds do not go with: several, or
/// the one that they have led to.
enum class SumThrows { several, none };

/// The constants of a sum on all rows, down to the minimum of the loss that was asked for.
SumOfTerms search_sum(const SelectionTask& task, const Candidate& chosen,
                      SumThrows throws = SumThrows::several);

/// The same where each level has terms of its own.
SumOfTerms search_parts(const ModelSpec& spec, const Parting& parting);

}  // namespace perfmodel
