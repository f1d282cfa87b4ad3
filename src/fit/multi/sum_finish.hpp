#pragma once

#include "fit/multi/sum_fit.hpp"
#include "fit/multi/sum_goal.hpp"

namespace perfmodel {

/// The gap at which a finish stops: what its last step still promised, as a share of the cost.
inline constexpr double kSumGap = 1e-10;

/// Loss plus penalties of a sum at coordinates of a search, in units of the typical time.
double goal_cost(const TermData& data, const SumShape& shape, const SumGoal& goal,
                 const Eigen::VectorXd& theta);

/// Walks from `start` down to where no step in the box of the goal gains to first order (absolute
/// losses) or second order (the others). Never worse than the start moved into the box. The fit's
/// cost is that of the goal.
SumFit finish(const TermData& data, const SumShape& shape, const SumGoal& goal, const SumFit& start,
              const DescentOptions& options);

SumFit finish_absolute(const TermData& data, const SumShape& shape, const SumGoal& goal,
                       const SumFit& start, const DescentOptions& options);
SumFit finish_smooth(const TermData& data, const SumShape& shape, const SumGoal& goal,
                     const SumFit& start, const DescentOptions& options);

}  // namespace perfmodel
