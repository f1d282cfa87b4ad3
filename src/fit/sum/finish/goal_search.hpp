#pragma once

#include "fit/sum/finish/sum_finish.hpp"

namespace perfmodel {

/// A sum of one shape, and what its constants shall minimise.
struct GoalTask {
  const TermData& data;
  const SumShape& shape;
  const SumGoal& goal;
  const FitOptions& options;
  std::size_t starts = 1;
};

/// The best optimum of the goal that several starts lead to: from `start`, which a search under
/// another loss has found, and from what is left of the best so far when one of its terms is thrown
/// anew.
SumFit minimise_goal(const GoalTask& task, const Eigen::VectorXd& start);

}  // namespace perfmodel
