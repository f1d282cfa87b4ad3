#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "analysis/plan/belief.hpp"

namespace perfmodel::plan {

/// A configuration to be measured, and what that is good for, those before it being measured.
struct NextRun {
  std::size_t candidate = 0;
  double variance_gain = 0;    ///< fall of the mean variance of ln t over the space
  double log_determinant = 0;  ///< of the information about ln t that it adds: ln(1 + v / noise)
};

struct NextRuns {
  double variance = 0;  ///< mean variance of ln t over the space, before
  std::vector<NextRun> runs;
};

/// The candidates that, one after another, take most off the mean variance of ln t over the space
/// per unit of their cost (Cohn 1996, of linear models: V-optimality), each at most once.
NextRuns next_runs(const Belief& belief, const Design& space, const Design& candidates,
                   const Eigen::VectorXd& costs, std::size_t count);

}  // namespace perfmodel::plan
