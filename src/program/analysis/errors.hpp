#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/eigen.hpp"
#include "perfmodel/knowledge.hpp"

namespace perfmodel {

/// Runs with one level or neighbouring values of an input, and their errors in percent of the time.
struct ErrorGroup {
  std::string name;  ///< the level, "8", "9 .. 16"
  std::size_t rows = 0;
  double median_time = 0;  ///< measured
  double mape = 0;
  double lower = 0;  ///< these three: quartiles of the signed errors
  double middle = 0;
  double upper = 0;
};

enum class InputKind { levels, scale, number };

/// Errors by one input: levels, the largest MAPE first, or values, ascending.
struct ErrorsAlong {
  std::string column;
  InputKind kind = InputKind::number;
  std::vector<ErrorGroup> groups;
};

/// One entry per input with more than one value: categorical inputs, then scales, then numbers.
std::vector<ErrorsAlong> errors_along(const ModelSpec& spec, const Design& runs,
                                      const VectorXd& predicted);

/// Runs of one level, or at one end of a number's range, with larger errors than the other runs.
struct WorstGroup {
  std::string column;
  std::string values;           ///< the level, "8", "9 .. 16"
  double mape = 0;              ///< in percent
  double mape_of_the_rest = 0;  ///< of all other runs
};

/// The group whose errors are most significantly larger than those of the other runs: at least 1.5
/// times as large on average, and a rank test with a p-value of at most 1 %, corrected for the
/// number of groups. Runs of one configuration count as one, since their errors are correlated.
std::optional<WorstGroup> worst_group(const ModelSpec& spec, const Design& runs,
                                      const VectorXd& predicted);

/// Differences between a new model and an old one on the same runs, named as in conditions:
///
///   mape_drift, smape_drift            new - old, in percentage points
///   mae_drift, mse_drift, rmse_drift   100 * (new - old) / old, in percent
///   r2_drift                           new - old
///   prediction_drift                   100 * mean |y_new - y_old| / y_old, in percent
///
/// If the old error is 0, its drift is 0 if the new one is 0, too, else infinite. Predictions have
/// one entry per row and are > 0.
std::vector<std::pair<std::string, double>> drift(const Metrics& now, const Metrics& before,
                                                  const VectorXd& predicted_now,
                                                  const VectorXd& predicted_before);

/// A figure with its confidence interval.
struct DriftFigure {
  std::string name;
  double value = 0;
  std::optional<Interval> interval;
};

/// Confidence of the intervals.
inline constexpr double kDriftConfidence = 0.95;

/// As drift(), with intervals: percentiles of a paired bootstrap, which resamples configurations
/// with all their runs and judges both models on them (Efron and Tibshirani 1993, chapters 8 and
/// 13). No interval if there are fewer than ten configurations, or if a resampled figure is not
/// finite. Deterministic.
std::vector<DriftFigure> drift_with_intervals(const Design& runs, const VectorXd& predicted_now,
                                              const VectorXd& predicted_before);

/// How much longer runs take than predicted, in percent, by the median of measured / predicted. It
/// shows a slowdown of all runs that is small compared with the error of each.
double bias_percent(const VectorXd& measured, const VectorXd& predicted);

/// A level whose runs take longer or shorter than predicted, unlike those of all other levels.
struct LevelBias {
  std::string column;
  std::string level;
  DriftFigure bias;
  double mape = 0;  ///< of its runs; it drifts if its bias is more than half of this
};

/// By how much runs take longer than predicted, see bias_percent(): all, and where some differ.
struct Biases {
  DriftFigure all;
  std::vector<LevelBias> levels = {};  ///< the most certain first
  DriftFigure others = {};             ///< of the runs of no such level, if there are some levels
};

/// The bias as the figure "bias", with an interval like those of drift_with_intervals(), and the
/// levels of text columns whose runs differ from the other ones: a rank test of configurations with
/// a p-value of at most 1 %, corrected for the number of levels, from five configurations on. Runs
/// of such a level are set aside before others are looked for, since they would make these differ.
Biases biases_of(const ModelSpec& spec, const Design& runs, const VectorXd& predicted);

/// Whether a bias is beyond chance and most of the error: the machine, or the program, is another
/// one. A small bias is what a model misses in the sum.
bool is_drift(const DriftFigure& bias, double mape_percent);

/// The names of drift()'s figures.
std::vector<std::string> drift_names();

}  // namespace perfmodel
