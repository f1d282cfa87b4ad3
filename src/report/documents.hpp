#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/errors.hpp"
#include "analysis/plan.hpp"
#include "analysis/scaling.hpp"
#include "analysis/selftest.hpp"
#include "analysis/ssgd.hpp"
#include "analysis/sweep.hpp"
#include "base/fields.hpp"
#include "base/json.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/predict.hpp"
#include "report/model_set.hpp"

namespace perfmodel {

// Documents that commands write as JSON; their descriptions name their schemas.

/// The text of a document; ends with a newline.
template <class Document>
std::string to_json(const Document& document) {
  return document_text(json_of(document));
}

/// Referred to by default, so that documents can be described without data.
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
  std::optional<double> value;  ///< none: there is no such figure
  std::optional<Interval> interval;
  bool fired = false;
};

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

/// Number of rows that are predicted with the residual correction, and by the formula alone.
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

/// An evaluation with its model.
struct Evaluation {
  const FittedModel& model = kSample<FittedModel>;
  const EvaluationDocument& report = kSample<EvaluationDocument>;
};

/// "process" where runs are near, else "trend".
std::string_view support_text(bool near);

/// What a residual process has to do with a predicted time.
struct ProcessPart {
  double factor = 1;  ///< of the trend's time
  bool near = false;  ///< whether runs are
};

/// One predicted time.
struct PredictionDocument {
  double time = 0;
  std::optional<std::pair<double, double>> interval = {};
  bool in_range = true;
  std::optional<ProcessPart> process = {};
  std::vector<std::pair<std::string, InputValue>> configuration = {};  ///< by column
};

/// Predicted times, each with its configuration. `range_findings`, where there is any, says in
/// sentences what was not measured, and how steeply the model grows there.
struct PredictionsDocument {
  std::string target = "<target>";
  std::vector<PredictionDocument> predictions = {};
  std::vector<std::string> range_findings = {};
};

/// A document of one predicted time, without the configuration.
struct SinglePrediction {
  const PredictionsDocument& document = kSample<PredictionsDocument>;
};

/// What the models of a set are worth on measured runs.
struct EvaluationsDocument {
  std::string model_file;
  std::string runs_file;
  std::string runs_sha256;                      ///< of the bytes of the file
  const ModelSet* judged = &kSample<ModelSet>;  ///< metrics.train of a line's model are of the runs

  /// Of a set with a total: the sum of its parts on all runs that are of it.
  struct Share {
    double percent = 0;
    std::size_t without = 0;  ///< parts that have no model
  };
  std::optional<Share> total;
  std::vector<GateDocument> gates;
};

/// What is known of the scaling along one column.
struct ScalingDocument {
  std::string file;    ///< base name
  std::string source;  ///< "model" or "runs"
  std::string column;
  std::string unit;       ///< of times; empty where unknown
  bool relative = false;  ///< times are relative to the first row
  scaling::ScalingStudy study;
  std::vector<bool> in_range;         ///< of a model, per row of the study: whether it was measured
  std::vector<Interval> intervals;    ///< of a model that has them, per row, of the time
  double level = 0;                   ///< of these
  bool tells_speedup = true;          ///< of workers, or asked for: speedups, efficiencies and laws
  std::string kind_because;           ///< what told the kind; empty where it was asked for
  bool kind_is_open = false;          ///< nothing told it
  std::vector<std::string> settings;  ///< of a model: what was held fixed
  std::optional<Effect> doubling;     ///< of a model
  std::string doubling_at;            ///< "the run of line 212 of runs.csv"
  std::optional<scaling::PowerPlusConstant> power;  ///< of a model
  std::vector<scaling::Reading> readings;
  std::optional<double> model_pays_until;
};

struct PlanDocument {
  const plan::Space& space = kSample<plan::Space>;
  const std::vector<plan::Configuration>& configurations =
      kSample<std::vector<plan::Configuration>>;
};

/// Reads a space (schema perfmodel/space, version 1; "-" is standard input):
///
///     {"schema": "perfmodel/space", "schema_version": 1,
///      "columns": [{"column": "filters", "values": [4, 8, 16]},
///                  {"column": "padding", "values": ["valid", "same"]},
///                  {"column": "learning_rate", "range": [1e-6, 0.1], "scale": "log"},
///                  {"column": "batch_size", "range": [8, 128], "whole": true}],
///      "extrinsic": ["workers", "batch_size"],
///      "where": ["filters * batch_size <= 4096"]}
///
/// `extrinsic` and `where` may be left out; `where` may be one text. Throws InputError with file
/// and field.
plan::Space read_space(const std::string& path);

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
  std::vector<NextSuggestion> next;  ///< --next
  double deviation = 0;              ///< mean deviation over the space, before them
  std::optional<double> level = {};  ///< of the intervals, where the model has them
};

/// A regularisation path and what was made of it.
struct SweepDocument {
  const Provenance& provenance = kSample<Provenance>;
  const std::vector<SweepPoint>& points = kSample<std::vector<SweepPoint>>;
  std::size_t chosen = 0;  ///< index of a point
  LambdaRule rule = LambdaRule::lowest;
};

/// What a study of an S-SGD iteration was asked and says.
struct SsgdDocument {
  const ssgd::Profile& profile = kSample<ssgd::Profile>;
  const ssgd::StudyRequest& request = kSample<ssgd::StudyRequest>;
  const ssgd::Study& study = kSample<ssgd::Study>;
  std::string file;           ///< base name of the layers
  std::string message_times;  ///< where the times of messages come from
  std::optional<ssgd::LatencyFit> latency_fit;
  std::optional<double> batch;           ///< samples per worker
  std::vector<std::string> own_designs;  ///< whole sentences: what is not the authors' formula
};

struct SelftestDocument {
  const std::vector<SelftestFigure>& figures = kSample<std::vector<SelftestFigure>>;
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
void describe(Fields& f, const SelftestDocument& x);

/// The JSON schemas of all documents, by their names without "perfmodel/". The meanings of fields
/// are their "description"; the tables of docs/json.md are generated from the schemas.
std::vector<std::pair<std::string, Json>> json_schemas();

}  // namespace perfmodel
