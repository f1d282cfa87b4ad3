#pragma once

#include <Eigen/Core>
#include <functional>
#include <span>
#include <vector>

#include "fit/process/kernel/coordinates.hpp"

namespace perfmodel::process {

/// ln f of some rows, and its slopes by the constants of f (rows x constants).
struct TrendValues {
  Eigen::VectorXd values;
  Eigen::MatrixXd slopes;
};

/// A formula that the process adds to: ln t = level + ln f + z + noise. The level, a factor of all
/// of f, is always estimated; a constant of f that is one has no work to do.
struct Trend {
  /// ln f of the runs of these positions among those that are fitted.
  std::function<TrendValues(const Eigen::VectorXd& constants, std::span<const Eigen::Index> rows)>
      at;
  Eigen::VectorXd start;
  /// The constants are normal around the start. The standard deviation is the constant's scale
  /// times one that is searched per group.
  Eigen::VectorXd scales;
  std::vector<Eigen::Index> groups;
  Eigen::Index group_count = 0;
};

/// One product: powers of what the coordinates are logarithms of (in coordinates) and a factor per
/// level. Two groups, where there are both.
Trend product_trend(Inputs coordinates);

/// The slopes of that trend at other rows; of levels beyond `level_counts`: 0.
Eigen::MatrixXd product_slopes(const Inputs& coordinates,
                               const std::vector<Eigen::Index>& level_counts);

/// How many levels each column has: one more than the largest index.
std::vector<Eigen::Index> level_counts(const Inputs& inputs);

}  // namespace perfmodel::process
