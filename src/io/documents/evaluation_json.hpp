#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/drift.hpp"
#include "io/documents/gates_json.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// A run that stands far from the model, with its line in the file.
struct OutlyingRun {
  std::uint32_t line = 0;
  double measured = 0;
  double predicted = 0;
  double robust_z = 0;
};

/// How often and how far measured times lie in a model's intervals, of some of the rows.
struct SupportedIntervals {
  std::size_t rows = 0;
  double coverage = 0;    ///< share of them that lie inside
  double mean_width = 0;  ///< in the unit of the time
};

/// The same of all rows.
struct IntervalDocument {
  double level = 0;       ///< that was asked for
  double coverage = 0;    ///< share of the rows that lie inside
  double mean_width = 0;  ///< in the unit of the time
  /// Of a model with a residual process: rows that have runs near, and the others.
  std::optional<SupportedIntervals> near = {};
  std::optional<SupportedIntervals> far = {};
};

/// Of so many rows a residual process speaks, and of so many the trend alone.
struct SupportCounts {
  std::size_t process = 0;
  std::size_t trend = 0;
};

/// An older model on the same runs.
struct BaselineDocument {
  std::string file;
  Metrics metrics;
  std::vector<DriftFigure> drift;
};

/// What a model is worth on measured runs.
struct EvaluationDocument {
  std::string model_file;
  std::string runs_file;
  std::string runs_sha256;           ///< of the bytes of the file
  std::size_t rows_left_out = 0;     ///< that a model gives no time
  std::vector<FailedRuns> failed{};  ///< that are left out, too
  Metrics metrics;
  DriftFigure bias{};  ///< see bias_percent()
  std::optional<IntervalDocument> intervals;
  std::optional<SupportCounts> support;  ///< of a model with a residual process
  std::optional<BaselineDocument> baseline;
  std::optional<NoiseFloor> noise_floor;             ///< where some runs are replicates
  std::optional<std::vector<OutlyingRun>> outliers;  ///< where they were asked for
  std::vector<GateDocument> gates;
};

/// Schema perfmodel/evaluation; ends with a newline.
std::string evaluation_to_json(const FittedModel& model, const EvaluationDocument& report);

/// "process" where runs are near, else "trend".
std::string_view support_text(bool near);

/// What a residual process has to do with a predicted time.
struct ProcessPart {
  double factor = 1;  ///< of the trend's time
  bool near = false;  ///< whether runs are
};

/// One predicted time.
struct PredictionDocument {
  using Value = std::variant<double, std::string>;

  double time = 0;
  std::optional<std::pair<double, double>> interval = {};
  bool in_range = true;
  std::optional<ProcessPart> process = {};
  std::vector<std::pair<std::string, Value>> configuration = {};  ///< by column
};

/// One predicted time (schema perfmodel/prediction): {"predicted_time_s": 0.5, "lower": 0.4,
/// "upper": 0.7, "in_range": true}; without lower and upper where there is no interval. Several are
/// a list (perfmodel/predictions), each with its configuration.
///
/// Of a form with a residual process also the trend's time and the process's factor, whose product
/// the predicted time is, and which of the two speaks. `range_findings`, where there is any, says
/// in sentences what was not measured, and how steeply the model grows there.
std::string predictions_to_json(const std::string& target,
                                const std::vector<PredictionDocument>& predictions,
                                const std::vector<std::string>& range_findings);

}  // namespace perfmodel
