#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/eigen.hpp"
#include "forms/scaling_belief.hpp"

namespace perfmodel {

/// Tolerance of ranks, which are computed from decimal levels: 20 * 0.95 is meant to be 19.
inline constexpr double kRankSlack = 1e-9;

/// Ranks of the scores at both ends of an interval; 0 and count + 1: that end is not reached.
std::pair<std::size_t, std::size_t> end_ranks(double level, std::size_t count);

/// Levels of two texts that share no run, and a level of the second that shares one with `level`.
struct UnmeasuredPair {
  std::size_t first = 0;  ///< index of a categorical input
  std::uint32_t level = 0;
  std::size_t second = 0;
  std::uint32_t other = 0;
  std::uint32_t measured = 0;  ///< in place of `other`
};

/// Of the model's unmeasured regions, those of two texts.
std::vector<UnmeasuredPair> unmeasured_pairs(const FittedModel& model);

/// ln of the formula's times: without the process of the model's belief.
VectorXd log_times_of_formula(const FittedModel& model, const Design& design);

/// What a model with a belief expects. Beyond is what is outside of the measured ranges, and pairs
/// of texts that were not measured. `also_within`: false if only these rows matter; the others then
/// have the formula's time and no deviation.
BelievedTimes believed_times(const FittedModel& model, const Design& design, bool also_within);

/// ln of the factors by which a bound moves beyond the measured ranges: its share of new runs is
/// meant to stay below it there, too. 0 within the ranges, negative for a quantile below 1/2.
VectorXd bound_moves(const FittedModel& model, const Design& design);

}  // namespace perfmodel
