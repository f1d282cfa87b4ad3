#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <utility>
#include <vector>

#include "perfmodel/model.hpp"

namespace perfmodel {

/// Tolerance of ranks, which are computed from decimal levels: 20 * 0.95 is meant to be 19.
inline constexpr double kRankSlack = 1e-9;

/// Ranks of the scores at both ends of an interval; 0 and count + 1: that end is not reached.
std::pair<std::size_t, std::size_t> end_ranks(double level, std::size_t count);

/// Per numeric column: by how much ln of the interval's ends moves outwards per ln of the distance
/// from the measured range. A column that the intervals do not list gets the root mean square of
/// the others. The calibration rows have to support the level.
std::vector<double> growths_beyond(const FittedModel& model, double level);

/// Per row: ln of the factor that a time moves by beyond the measured ranges. If several columns
/// are out of range, the one that moves it most counts.
Eigen::VectorXd moves_beyond(const ModelSpec& spec, const std::vector<double>& growths,
                             const Design& design);

/// By numeric column the growth of a bound: beyond the measured ranges, it is the end of the
/// interval that it is within them. 0 for other models, and negative where the bound is the lower
/// end.
std::vector<double> bound_growths(const FittedModel& model);

}  // namespace perfmodel
