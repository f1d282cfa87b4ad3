#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// Runs of one level or of neighbouring values of an input, and how far their predictions are off,
/// in percent of the measured time.
struct ErrorGroup {
  std::string name;  ///< the level, "8", "9 .. 16"
  std::size_t rows = 0;
  double median_time = 0;  ///< measured
  double mape = 0;
  double lower = 0;  ///< quartiles of the errors
  double middle = 0;
  double upper = 0;
};

enum class InputKind { levels, scale, number };

/// The rows of each level of an input, or of neighbouring values, ascending.
struct RowsAlong {
  static constexpr std::size_t most_values = 10;  ///< more are joined to ten groups

  struct Group {
    std::string name;
    std::vector<std::size_t> rows;
  };
  std::string column;
  InputKind kind = InputKind::number;
  std::vector<Group> groups;
};

/// One per input that takes more than one value, those with levels and the scales first.
std::vector<RowsAlong> rows_along(const ModelSpec& spec, const Design& runs);

/// The groups of one input: levels, the largest error first, or values, ascending.
struct ErrorsAlong {
  std::string column;
  InputKind kind = InputKind::number;
  std::vector<ErrorGroup> groups;
};

/// In the order of rows_along().
std::vector<ErrorsAlong> errors_along(const ModelSpec& spec, const Design& runs,
                                      const Eigen::VectorXd& predicted);

/// Runs of one level, or of one end of a number, that a model predicts worse than the others.
struct WorstGroup {
  std::string column;
  std::string values;           ///< the level, "8", "9 .. 16"
  double mape = 0;              ///< in percent
  double mape_of_the_rest = 0;  ///< of all other runs
};

/// The group whose errors are the surest to be larger than those of the others: at least half as
/// large again on average, and by ranks with a probability of chance of at most 1 % over all groups
/// that are looked at. Runs of one configuration count as one, since their errors are alike.
std::optional<WorstGroup> worst_group(const ModelSpec& spec, const Design& runs,
                                      const Eigen::VectorXd& predicted);

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
