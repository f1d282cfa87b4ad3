#pragma once

#include <vector>

#include "fit/sum/terms/sum_of_terms.hpp"
#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// The rows of one level, without the column.
struct LevelRuns {
  ModelSpec spec;
  Design training;
};

Design runs_of_level(const Design& training, std::size_t column, std::size_t level);
LevelRuns runs_of_level(const ModelSpec& spec, const Design& training, std::size_t column,
                        std::size_t level);

/// One sum of the sums that were fitted to each level: their terms, each for its level alone. A C
/// is another such term.
SumOfTerms joined_levels(const ModelSpec& spec, std::size_t column,
                         const std::vector<SumOfTerms>& sums);

}  // namespace perfmodel
