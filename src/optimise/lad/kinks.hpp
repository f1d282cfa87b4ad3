#pragma once

#include <Eigen/Core>
#include <vector>

namespace perfmodel::optimise {

/// Where along an edge the residual of a row changes its sign.
struct Kink {
  double at;
  double rise;  ///< of the slope of the cost
  Eigen::Index row;
};

/// Runs through the kinks as long as the cost still falls: a weighted median by selection. `slope`
/// is that of the cost before the first of them, negative. The kinks are reordered: those before
/// the returned one are run through, it is the one to stop at. `end()` where the cost falls beyond
/// all of them.
std::vector<Kink>::iterator run_through(std::vector<Kink>& kinks, double slope);

}  // namespace perfmodel::optimise
