#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfmodel/fit/fitted_model.hpp"

namespace perfmodel {

/// The model as model.json (schema perfmodel/model, version 1); ends with a newline. Numbers
/// round-trip. Throws std::logic_error for a value that is not finite; r2, which has no value where
/// all measured times are equal, is written as null.
std::string to_json(const FittedModel& model);

/// Reads model.json ("-" is standard input). Throws InputError that names file and field, and gives
/// advice where the schema is newer than this program.
FittedModel read_model(const std::string& path);

/// How often and how far measured times lie in a model's intervals.
struct IntervalReport {
  double level = 0;       ///< that was asked for
  double coverage = 0;    ///< share of the rows that lie inside
  double mean_width = 0;  ///< in the unit of the time
};

/// An older model on the same runs.
struct BaselineReport {
  std::string file;
  Metrics metrics;
  /// By the names of conditions; see metric_drift().
  std::vector<std::pair<std::string, double>> drift;
};

/// What a model is worth on measured runs.
struct EvaluationReport {
  std::string runs_file;
  Metrics metrics;
  std::optional<IntervalReport> intervals;
  std::optional<BaselineReport> baseline;
};

/// Schema perfmodel/evaluation; ends with a newline.
std::string evaluation_to_json(const FittedModel& model, const EvaluationReport& report);

/// One predicted time (schema perfmodel/prediction): {"predicted_time_s": 0.5, "lower": 0.4,
/// "upper": 0.7, "in_range": true}; without lower and upper where there is no interval.
std::string prediction_to_json(const std::string& target, double predicted,
                               const std::optional<std::pair<double, double>>& interval,
                               bool in_range);

}  // namespace perfmodel
