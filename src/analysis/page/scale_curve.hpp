#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/page/cloud.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel::page {

/// The runs of one scale, or of neighbouring ones: quartiles of measured / predicted, carried to
/// the typical configuration. That is the time that the model gives it there, times the ratio.
struct ScaleGroup {
  double scale = 0;  ///< the lower median of the group
  double lower = 0;  ///< times
  double middle = 0;
  double upper = 0;
  std::size_t rows = 0;
};

/// The time of one configuration along an extrinsic column.
struct ScaleCurve {
  static constexpr double beyond = 4;  ///< times the highest measured scale: how far the curve goes
  static constexpr double near = 1.1;  ///< the factor by which inputs of near runs may differ
  static constexpr std::size_t most_groups = 10;

  std::string column;
  NumericInput measured;            ///< the range of the column in the training rows
  std::vector<double> scales;       ///< distinct ones of the runs, where there are few
  std::vector<Point> within;        ///< predicted times within the measured range
  std::vector<Point> extrapolated;  ///< and beyond it, from its end on
  std::optional<Interval> factors;  ///< a prediction times these is the model's interval
  std::vector<ScaleGroup> groups;   ///< of all runs
  std::optional<Cloud> near_runs;   ///< scale and measured time of runs near the configuration
};

/// One curve per extrinsic column that is not derived itself, as far as the model gives times along
/// it; columns that are derived from the scale are computed anew at each point. `typical` is the
/// configuration, `runs` have measured times, `predicted` one entry per run.
std::vector<ScaleCurve> scale_curves(const FittedModel& model, const Configuration& typical,
                                     const Design& runs, const Eigen::VectorXd& predicted);

}  // namespace perfmodel::page
