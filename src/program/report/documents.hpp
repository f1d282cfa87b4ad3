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
#include "analysis/scaling.hpp"
#include "base/fields.hpp"
#include "base/json.hpp"
#include "compare/sweep.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/predict.hpp"
#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"
#include "report/model_set.hpp"
#include "ssgd/ssgd.hpp"
#include "suggest/plan.hpp"

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

/// Models and black boxes side by side.
struct ComparisonDocument {
  const std::vector<Provenance>& data = kSample<std::vector<Provenance>>;
  const std::vector<ModelScore>& scores = kSample<std::vector<ModelScore>>;
  bool has_black_boxes = false;
};

/// A condition under which the judgement counts as failed.
struct GateDocument {
  std::string condition;
  std::optional<double> value;  ///< nullopt: the figure does not exist
  std::optional<Interval> interval;
  bool fired = false;
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

/// Evaluation of a model on measured runs.
struct EvaluationDocument {
  std::string model_file;
  std::string runs_file;
  std::string runs_sha256;           ///< of the bytes of the file
  std::size_t rows_left_out = 0;     ///< number of rows without a predicted time
  std::vector<FailedRuns> failed{};  ///< failed runs, which are left out as well
  Metrics metrics;
  Biases bias{};
  std::size_t rows_of_fit = 0;  ///< among the runs, which are left out unless all are of the fit
  std::optional<IntervalDocument> intervals;
  std::optional<BoundUse> bound;         ///< set if the model predicts bounds
  std::optional<SupportCounts> support;  ///< set for a model with a residual correction
  std::optional<BaselineDocument> baseline;
  std::optional<NoiseFloor> noise_floor;             ///< set if some runs are replicates
  std::vector<ErrorsAlong> errors_along;             ///< not of bounds
  std::vector<Share> shares;                         ///< at the central run of the fit
  std::optional<std::vector<OutlyingRun>> outliers;  ///< set if requested
  bool may_be_bent = false;                          ///< by an outlier, if requested
  std::vector<GateDocument> gates;
};

/// An evaluation with its model.
struct Evaluation {
  const FittedModel& model = kSample<FittedModel>;
  const EvaluationDocument& report = kSample<EvaluationDocument>;
};

/// Returns "process" if runs are near, else "trend".
std::string_view support_text(bool near);

/// Contribution of the residual correction to a predicted time.
struct GpPart {
  double factor = 1;  ///< multiplies the trend's time
  bool near = false;  ///< true if runs are near
};

/// One predicted time.
struct PredictionDocument {
  double time = 0;
  std::optional<Interval> interval = {};
  bool in_range = true;
  std::optional<GpPart> gp = {};
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
  const ModelSet* judged =
      &kSample<ModelSet>;  ///< metrics.train of each model refer to the judged runs

  std::vector<GateDocument> gates;
};

/// The scaling study of the runs of one level, whose law is not that of others.
struct LevelStudy {
  std::vector<std::pair<std::string, std::string>> at;  ///< columns and their levels
  bool relative = false;
  std::vector<std::uint32_t> left_out;
  scaling::ScalingStudy study;
};

/// Scaling study along one column.
struct ScalingDocument {
  std::string file;    ///< base name
  std::string source;  ///< "model" or "runs"
  std::string column;
  Unit unit = "";  ///< of times; empty if unknown
  Measure measure = Measure::time;
  bool relative = false;                ///< times are relative to the first row
  std::vector<std::uint32_t> left_out;  ///< runs only: lines of rows that could not be compared
  scaling::ScalingStudy study;
  std::vector<bool> in_range;         ///< model only, per row of the study: true if measured
  std::vector<Interval> intervals;    ///< model only, per row: prediction interval of the time
  double level = 0;                   ///< of the intervals
  bool tells_speedup = true;          ///< whether to report speedups, efficiencies and laws
  std::string kind_because;           ///< reason for the kind of work; empty if it was requested
  bool kind_is_open = false;          ///< the kind of work is an assumption
  std::vector<std::string> settings;  ///< model only: the inputs held fixed
  std::optional<Effect> doubling;     ///< model only
  std::string doubling_in_words;      ///< "1 -> 2: 1.9 times faster"
  std::string doubling_at;            ///< "the run of line 212 of runs.csv"
  std::optional<scaling::PowerPlusConstant> power;  ///< model only
  std::vector<scaling::Reading> readings;
  std::optional<double> model_pays_until;
  std::optional<scaling::Forecast> forecast;  ///< model only
  /// Runs only: where laws differ between levels; the study is then the mean, without laws.
  std::vector<LevelStudy> levels = {};
};

/// The document of one of its levels alone.
ScalingDocument of_level(ScalingDocument document, const LevelStudy& level);

struct PlanDocument {
  const plan::Space& space = kSample<plan::Space>;
  const std::vector<plan::Configuration>& configurations =
      kSample<std::vector<plan::Configuration>>;
};

/// Whether a file is a JSON document of this program, such as a model or a space, even if it is
/// cut off or a space without its schema. nullopt if it is no regular file: a pipe can be read only
/// once.
std::optional<bool> is_document(const std::string& path);

/// Whether a regular file is a space in its short form and no JSON of runs: a single object of
/// values and lists of values, of which none is called `measured`.
bool is_short_space(const std::string& path, const std::string& measured);

/// Reads a space ("-" is standard input):
///
///     {"schema": "perfmodel/space", "schema_version": 1,
///      "columns": [{"column": "filters", "values": [4, 8, 16]},
///                  {"column": "padding", "values": ["valid", "same"]},
///                  {"column": "learning_rate", "range": [1e-6, 0.1], "scale": "log"},
///                  {"column": "batch_size", "range": [8, 128], "whole": true}],
///      "extrinsic": ["workers", "batch_size"],
///      "where": ["filters * batch_size <= 4096"]}
///
/// All but `columns` is optional; `where` may be a single string. In short, it is columns and their
/// values, {"filters": [4, 8, 16], "padding": "valid"}. Of a CSV, it is the rows; of a model.json,
/// space_around(). Throws InputError with file and field or line.
plan::Space read_space(const std::string& path);
/// As read_space(), from the bytes of the file `source`.
plan::Space parse_space(const std::string& source, std::string_view bytes);

struct NextSuggestion {
  plan::Suggestion suggestion;
  plan::NextRun run;
};

struct SuggestionDocument {
  const plan::Space& space = kSample<plan::Space>;
  plan::Suggestions suggestions;
  std::string target;  ///< of the model
  std::string unit;
  bool with_cost = false;
  bool maximises = false;
  std::vector<NextSuggestion> next;  ///< --next
  double deviation = 0;              ///< mean deviation over the space, before the runs in `next`
  std::optional<double> level = {};  ///< of the prediction intervals, if the model has any
  /// Targets that conditions bound, and whether they have intervals.
  std::vector<std::pair<std::string, bool>> bounded = {};
  bool with_p_fails = false;  ///< whether the model says how likely runs fail
};

/// Regularisation path and the point chosen from it.
struct SweepDocument {
  const Provenance& provenance = kSample<Provenance>;
  const std::vector<SweepPoint>& points = kSample<std::vector<SweepPoint>>;
  std::size_t chosen = 0;  ///< index of a point
  LambdaRule rule = LambdaRule::lowest;
};

/// Request and result of a study of an S-SGD iteration.
struct SsgdDocument {
  const ssgd::Profile& profile = kSample<ssgd::Profile>;
  const ssgd::StudyRequest& request = kSample<ssgd::StudyRequest>;
  const ssgd::Study& study = kSample<ssgd::Study>;
  std::string file;           ///< base name of the layers
  std::string message_times;  ///< source of the message times
  std::optional<ssgd::LatencyFit> latency_fit;
  std::optional<double> batch;           ///< samples per worker
  std::vector<std::string> own_designs;  ///< sentences on what differs from the authors' formula
};

/// What a program of this version and build can do.
struct VersionDocument {
  std::string version;  ///< semantic version
  std::string compiler;
  std::vector<std::string> kernels{};      ///< of this machine, the default last
  std::vector<std::string> black_boxes{};  ///< libraries that compare uses
};

void describe(Fields& f, const ComparisonDocument& x);
void describe(Fields& f, const Evaluation& x);
void describe(Fields& f, const SinglePrediction& x);
void describe(Fields& f, const PredictionsDocument& x);
void describe(Fields& f, const EvaluationsDocument& x);
void describe(Fields& f, const ScalingDocument& x);
void describe(Fields& f, const PlanDocument& x);
void describe(Fields& f, const SuggestionDocument& x);
void describe(Fields& f, const SweepDocument& x);
void describe(Fields& f, const SsgdDocument& x);
void describe(Fields& f, const VersionDocument& x);

/// Returns the JSON schemas of all documents, by name without "perfmodel/". The "description" of a
/// field is its meaning.
std::vector<std::pair<std::string, Json>> json_schemas();

/// The names of all documents with their titles, a line each.
std::string document_list();

/// The fields of a document with their types and meanings, in lines of at most 100 columns. An
/// object whose fields were listed before refers to these.
std::string field_list(const Json& schema);

}  // namespace perfmodel
