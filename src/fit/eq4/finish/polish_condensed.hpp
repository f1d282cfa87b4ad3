#pragma once

#include "fit/eq4/finish/polish.hpp"
#include "fit/task/condensed_times.hpp"

namespace perfmodel {

/// Goes on from an optimum of condensed times to one of all of them: where predictions lie between
/// times of a row, these are parted and the finish goes on. What the rows may still be wrong by
/// counts as gap.
PolishResult polish_condensed(CondensedTimes& times, const Design& training,
                              const SearchSpace& space, const Regulariser& penalty,
                              const FitOptions& options, PolishResult from);

}  // namespace perfmodel
