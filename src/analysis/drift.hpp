#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfmodel/data/metrics.hpp"
#include "perfmodel/fit/result/certainty.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// How far a new model is from an old one on the same runs, by the names of conditions:
///
///   mape_drift, smape_drift            new - old, in points of percent
///   mae_drift, mse_drift, rmse_drift   100 * (new - old) / old, in percent
///   r2_drift                           new - old
///   prediction_drift                   100 * mean |y_new - y_old| / y_old, in percent
///
/// Where the old error is 0 its drift is 0 if the new one is 0 too, else infinite. Predictions have
/// one entry per row and are > 0.
std::vector<std::pair<std::string, double>> drift(const Metrics& now, const Metrics& before,
                                                  const Eigen::VectorXd& predicted_now,
                                                  const Eigen::VectorXd& predicted_before);

/// What a figure may be on other runs like these.
struct DriftFigure {
  std::string name;
  double value = 0;
  std::optional<Interval> interval;
};

/// How much of the possible values the intervals hold.
inline constexpr double kDriftConfidence = 0.95;

/// The same with intervals: percentiles of a paired bootstrap, which draws configurations with all
/// their runs and judges both models on them (Efron and Tibshirani 1993, chapters 8 and 13). None
/// where there are fewer than ten configurations, or where a drawn figure is not finite. The same
/// intervals each time.
std::vector<DriftFigure> drift_with_intervals(const Design& runs,
                                              const Eigen::VectorXd& predicted_now,
                                              const Eigen::VectorXd& predicted_before);

/// How much longer runs take than predicted, in percent: by the median of measured / predicted,
/// which sees a slowdown of all runs that is small beside the errors of each.
double bias_percent(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted);

/// The same as "bias", with an interval such as those of drifts.
DriftFigure bias_with_interval(const Design& runs, const Eigen::VectorXd& predicted);

/// The names alone.
std::vector<std::string> drift_names();

}  // namespace perfmodel
