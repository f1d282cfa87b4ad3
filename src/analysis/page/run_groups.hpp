#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/central/doubling.hpp"
#include "analysis/page/scale_curve.hpp"

namespace perfmodel::page {

/// The runs of one level.
struct RunGroup {
  std::string level;
  std::size_t rows = 0;
  double median_time = 0;           ///< measured
  double mape = 0;                  ///< percent
  std::vector<Doubling> doublings;  ///< at the central run of these
  std::optional<ScaleCurve> curve;  ///< the same, along the scale of the figures; of the first ones
};

/// Runs of so different times that one typical time means nothing: several jobs in one file.
struct RunGroups {
  static constexpr double apart = 3;  ///< the factor between medians of levels that makes groups
  static constexpr std::size_t most = 24;
  static constexpr std::size_t most_figures = 12;

  std::string column;
  std::vector<RunGroup> groups;  ///< the longest median time first
  std::size_t left_out = 0;      ///< levels with fewer runs than those
};

/// By the column of levels whose medians of measured times lie farthest apart; nothing where none
/// do by the factor.
std::optional<RunGroups> run_groups(const FittedModel& model, const Design& runs,
                                    const Eigen::VectorXd& predicted,
                                    const std::vector<NotAbove>& orders);

}  // namespace perfmodel::page
