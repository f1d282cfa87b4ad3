#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "fit/eq4/space/penalty.hpp"
#include "fit/eq4/space/search_space.hpp"
#include "fit/task/weighted_rows.hpp"
#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

/// Where the exact finish ended.
struct PolishResult {
  Eigen::VectorXd scaled;
  double cost = 0;
  /// What one more step could gain to first order within its trust region, as a share of the cost.
  double relative_gap = 0;
  std::size_t steps = 0;
  std::size_t evaluations = 0;
};

/// Gaps at which a finish stops: for the result, and for what another finish goes on from.
inline constexpr double kExactGap = 1e-12;
inline constexpr double kLooseGap = 1e-6;
/// Enough to tell one of many attempts from a better one.
inline constexpr double kRoughGap = 1e-3;

/// Walks from `start` (scaled constants) down to where no step in the box gains to first order: by
/// sequential linear programming for losses of absolute errors, by damped least squares for squared
/// ones. The result is never worse than the start and never outside the box. `gap_to_stop`: the
/// relative gap that is left at most, where the steps suffice.
PolishResult polish(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                    const FitOptions& options, const Eigen::VectorXd& start,
                    double gap_to_stop = kExactGap);

PolishResult polish_absolute(const WeightedRows& rows, const SearchSpace& space,
                             const Regulariser& penalty, const FitOptions& options,
                             const Eigen::VectorXd& start, double gap_to_stop);
PolishResult polish_squared(const WeightedRows& rows, const SearchSpace& space,
                            const Regulariser& penalty, const FitOptions& options,
                            const Eigen::VectorXd& start, double gap_to_stop);

}  // namespace perfmodel
