#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "analysis/plan/belief.hpp"

namespace perfmodel::plan {

/// A configuration to be measured, and what that is good for, those before it being measured.
struct NextRun {
  std::size_t candidate = 0;
  double deviation_gain = 0;   ///< by how much the mean deviation over the space falls
  double log_determinant = 0;  ///< of the information about ln t that it adds: ln(1 + v / noise)
};

struct NextRuns {
  /// Mean standard deviation of ln t of a new run of the space, before: how far predictions will be
  /// off.
  double deviation = 0;
  std::vector<NextRun> runs;
};

/// The candidates that, one after another, take most off the mean deviation over the space per
/// unit of their cost, each at most once (of variances: Cohn 1996; of linear models: V-optimality).
NextRuns next_runs(const Belief& belief, const Design& space, const Design& candidates,
                   const Eigen::VectorXd& costs, std::size_t count);

}  // namespace perfmodel::plan
