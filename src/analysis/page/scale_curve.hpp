#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/page/column_order.hpp"
#include "analysis/page/near_runs.hpp"
#include "analysis/scaling/kind_of_work.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel::page {

/// What the model says of one scale.
struct Forecast {
  double scale = 0;
  double time = 0;
  std::optional<Interval> interval;
  bool measured = true;  ///< within what the runs of the fit cover
  double speedup = 1;    ///< as `scaling` counts it, against the first of its forecasts
  double efficiency = 1;
};

/// The time of one configuration along an extrinsic column.
struct ScaleCurve {
  static constexpr double beyond = 4;  ///< times the highest measured scale: how far the curve goes

  std::string column;
  NumericInput measured;         ///< the range of the column in the training rows
  double shown = 0;              ///< the scale of the configuration itself
  bool whole = false;            ///< a scale is a whole number: nothing is between them
  std::vector<double> scales;    ///< distinct ones of the runs, where there are few
  std::vector<Forecast> points;  ///< of the curve, ascending
  /// The shown scale times powers of two: what the table lists and what is sped up.
  std::vector<Forecast> forecasts;
  scaling::KindOfWork work;
  std::vector<std::string> moved;  ///< other inputs that move along
  NearRuns runs;
};

/// One curve per extrinsic column that is not derived itself, where the model gives times and
/// configurations can exist; columns that are tied to the scale or derived from it move along.
/// `runs` have measured times, `predicted` one entry per run.
std::vector<ScaleCurve> scale_curves(const FittedModel& model, const Configuration& shown,
                                     const Design& runs, const Eigen::VectorXd& predicted,
                                     const std::vector<NotAbove>& orders);

/// The one along this column; without points where there is none.
ScaleCurve scale_curve(const FittedModel& model, const Configuration& shown, std::size_t extrinsic,
                       const Design& runs, const Eigen::VectorXd& predicted,
                       const std::vector<NotAbove>& orders);

}  // namespace perfmodel::page
