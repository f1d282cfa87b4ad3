#pragma once

#include "fit/sum/descent/sum_fit.hpp"
#include "fit/sum/finish/sum_goal.hpp"

namespace perfmodel {

/// The gap at which a finish stops: what its last step still promised, as a share of the cost.
inline constexpr double kSumGap = 1e-10;
/// The same of the optimum that is kept: below it predictions, too, are the same in other units.
inline constexpr double kSettledSumGap = 1e-15;

/// Loss plus penalties of a sum at coordinates of a search, in units of the typical time.
double goal_cost(const TermData& data, const SumShape& shape, const SumGoal& goal,
                 const Eigen::VectorXd& theta);

/// Walks from `start` down to where no step in the box of the goal gains to first order (absolute
/// losses) or second order (the others). Never worse than the start moved into the box. The fit's
/// cost is that of the goal.
SumFit finish(const TermData& data, const SumShape& shape, const SumGoal& goal, const SumFit& start,
              const DescentOptions& options, double gap_to_stop = kSumGap);

SumFit finish_absolute(const TermData& data, const SumShape& shape, const SumGoal& goal,
                       const SumFit& start, const DescentOptions& options, double gap_to_stop);
SumFit finish_smooth(const TermData& data, const SumShape& shape, const SumGoal& goal,
                     const SumFit& start, const DescentOptions& options, double gap_to_stop);

}  // namespace perfmodel
