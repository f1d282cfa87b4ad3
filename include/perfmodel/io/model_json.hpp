#pragma once

#include <cstdint>
#include <optional>
#include <string>
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

/// A run that stands far from the model, with its line in the file.
struct OutlyingRun {
  std::uint32_t line = 0;
  double measured = 0;
  double predicted = 0;
  double robust_z = 0;
};

/// What an evaluation holds besides the metrics.
struct EvaluationDetails {
  std::optional<NoiseFloor> noise_floor;
  std::optional<std::vector<OutlyingRun>> outliers;  ///< where they were asked for
};

/// A model's metrics on measured runs (schema perfmodel/evaluation); ends with a newline.
std::string evaluation_to_json(const FittedModel& model, const std::string& runs_file,
                               const Metrics& metrics, const EvaluationDetails& details = {});

/// One predicted time (schema perfmodel/prediction): {"predicted_time_s": 0.5, "in_range": true}.
std::string prediction_to_json(const std::string& target, double predicted, bool in_range);

}  // namespace perfmodel
