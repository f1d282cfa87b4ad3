#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/errors.hpp"
#include "analysis/model_words.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/predict.hpp"
#include "report/model_set.hpp"

namespace perfmodel {

// Documents that commands write as JSON; each describe() names the schema.

/// Returns the JSON text of a document, with a newline at the end.
template <class Document>
std::string to_json(const Document& document) {
  return document_text(json_of(document));
}

/// Default target of the references below, so that a document can be described without data.
template <class T>
inline const T kSample{};

/// A condition under which the judgement counts as failed.
struct GateDocument {
  std::string condition;
  std::optional<double> value;  ///< nullopt: the figure does not exist
  std::optional<Interval> interval;
  bool fired = false;
  std::string of = {};  ///< which of several figures of a name: "mode = a"; empty: that of all rows
};

/// A run far from its prediction, with its line in the file.
struct OutlyingRun {
  std::uint32_t line = 0;
  double measured = 0;
  double predicted = 0;
  double robust_z = 0;
};

/// Coverage and width of a model's prediction intervals on a subset of the rows.
struct SupportedIntervals {
  std::size_t rows = 0;
  double coverage = 0;    ///< share of these rows inside their intervals
  double mean_width = 0;  ///< in the unit of the time
};

/// Coverage and width of a model's prediction intervals on all rows.
struct IntervalDocument {
  double level = 0;                    ///< requested coverage
  double coverage = 0;                 ///< share of the rows inside their intervals
  double mean_width = 0;               ///< in the unit of the time
  std::optional<Interval> usual = {};  ///< factors of a prediction
  /// With a residual correction: rows with runs nearby, and the other rows.
  std::optional<SupportedIntervals> near = {};
  std::optional<SupportedIntervals> far = {};
};

/// Number of rows that are predicted with the residual correction, and by the formula alone.
struct SupportCounts {
  std::size_t gp = 0;
  std::size_t trend = 0;
};

/// An older model, judged on the same runs.
struct BaselineDocument {
  std::string file;
  Metrics metrics;
  std::vector<DriftFigure> drift;
};

/// Runs on which a model is not judged.
struct RunsLeftOut {
  std::size_t without_time = 0;  ///< without a predicted time
  std::size_t of_fit = 0;        ///< among the runs; they are left out unless all are of the fit
  std::vector<FailedRuns> failed{};
};

/// Evaluation of a model on measured runs.
struct EvaluationDocument {
  const FittedModel& model = kSample<FittedModel>;
  std::string model_file{};
  std::string runs_file{};
  std::string runs_sha256{};  ///< of the bytes of the file
  RunsLeftOut left_out{};
  Metrics metrics{};
  Biases bias{};
  std::optional<IntervalDocument> intervals{};
  std::optional<BoundUse> bound{};         ///< set if the model predicts bounds
  std::optional<SupportCounts> support{};  ///< set for a model with a residual correction
  std::optional<BaselineDocument> baseline{};
  std::optional<NoiseFloor> noise_floor{};             ///< set if some runs are replicates
  std::vector<ErrorsAlong> errors_along{};             ///< not of bounds
  std::vector<Share> shares{};                         ///< at the central run of the fit
  std::optional<std::vector<OutlyingRun>> outliers{};  ///< set if requested
  bool may_be_bent = false;                            ///< by an outlier, if requested
  std::vector<GateDocument> gates{};
};

/// Returns "process" if runs are near, else "trend".
std::string_view support_text(bool near);

/// One predicted time.
struct PredictionDocument {
  double time = 0;
  std::optional<Interval> interval = {};
  bool in_range = true;
  std::optional<double> formula = {};  ///< its time, where predictions are not the formula's alone
  std::optional<bool> near = {};       ///< with a residual correction: true if runs are near
  std::optional<double> p_fails = {};  ///< probability that a run fails
  std::vector<std::pair<std::string, InputValue>> configuration = {};  ///< by column
};

/// Predicted times, each with its configuration. `range_findings`: sentences on what was not
/// measured, and how steeply the model grows there.
struct PredictionsDocument {
  std::string target = "<target>";
  std::vector<PredictionDocument> predictions = {};
  std::vector<std::string> range_findings = {};
  std::optional<double> quantile = {};                      ///< set if they are bounds
  bool determined = true;                                   ///< by the runs
  std::vector<std::pair<std::string, InputValue>> by = {};  ///< the group of a model of many
};

/// Document of one predicted time, without its configuration.
struct SinglePrediction {
  const PredictionsDocument& document = kSample<PredictionsDocument>;
};

/// Evaluation of the models of a set on measured runs.
struct EvaluationsDocument {
  std::string model_file;
  std::string runs_file;
  std::string runs_sha256;  ///< of the bytes of the file
  ModelSetHeader header;
  std::vector<ModelSetLine> judged;  ///< metrics.train of each model refer to the judged runs
  std::vector<GateDocument> gates;
};

/// Whether a file is a JSON document of this program, such as a model or a space, even if it is
/// cut off or a space without its schema. nullopt if it is no regular file: a pipe can be read only
/// once.
std::optional<bool> is_document(const std::string& path);

/// What a program of this version and build can do.
struct VersionDocument {
  std::string version;  ///< semantic version
  std::string compiler;
  std::vector<std::string> kernels{};      ///< of this machine, the default last
  std::vector<std::string> black_boxes{};  ///< libraries that compare uses
};

// Parts that several documents have.

/// Describes the measured column as "target".
void describe_unit(Fields& f, const std::string& column, const std::string& unit);
/// Describes the ends of an interval if there is one.
void describe_ends(Fields& f, const std::optional<Interval>& interval, const std::string& meaning);

void describe(Fields& f, const EvaluationDocument& x);
void describe(Fields& f, const SinglePrediction& x);
void describe(Fields& f, const PredictionsDocument& x);
void describe(Fields& f, const EvaluationsDocument& x);
void describe(Fields& f, const VersionDocument& x);

/// A document, by its name without "perfmodel/".
struct DocumentKind {
  std::string_view name;
  Json (*schema)();
  std::string_view after = "evaluations";  ///< of a tool: which document is listed before it
};

template <class Document>
Json schema_of() {
  return Fields().schema_of<Document>();
}

/// Returns the JSON schemas of all documents, by name without "perfmodel/". The "description" of a
/// field is its meaning.
std::vector<std::pair<std::string, Json>> json_schemas();

/// The names of all documents with their titles, a line each.
std::string document_list();

/// The fields of a document with their types and meanings, in lines of at most 100 columns. An
/// object whose fields were listed before refers to these.
std::string field_list(const Json& schema);

}  // namespace perfmodel
