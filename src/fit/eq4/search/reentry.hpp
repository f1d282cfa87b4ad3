#pragma once

#include "fit/eq4/finish/polish.hpp"

namespace perfmodel {

/// Whether the numeric columns are so many that a population does not find its way: they meet in
/// thousands of combinations of powers, each with an optimum of its own.
bool has_many_powers(const SearchSpace& space);

/// Goes on from an optimum to better ones nearby: a few terms at a time are taken out of the model
/// and come back at whatever powers pay most, and what costs less is kept (an iterated local
/// search; Lourenco, Martin and Stuetzle 2003).
PolishResult reenter_terms(const WeightedRows& rows, const SearchSpace& space,
                           const Regulariser& penalty, const FitOptions& options,
                           PolishResult best);

}  // namespace perfmodel
