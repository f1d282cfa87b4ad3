#include "report/documents.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/text.hpp"
#include "registry/registry.hpp"
#include "report/model_json.hpp"

namespace perfmodel {

std::string_view support_text(bool near) {
  return near ? "process" : "trend";
}

// Parts of documents

void describe(Fields& f, const Interval& x) {
  f("lower", x.low, "lower end");
  f("upper", x.high, "upper end");
}

void describe(Fields& f, const GateDocument& x) {
  f("condition", x.condition, "as it was given");
  f("value", Finite{x.value.value_or(std::nan(""))}, "`null`: there is no such figure");
  f("interval", x.interval, "of a drift, or of `bias`");
  f("fired", x.fired, "whether the condition holds");
  f("of", x.of, "of several figures: the level or the model", only_if(!x.of.empty()));
}

void describe(Fields& f, const DriftFigure& x) {
  f("bias_percent", Finite{x.value}, "how much longer the runs take than predicted");
  f("bias_interval", x.interval, "of it, 95 %", kSparse);
}

void describe(Fields& f, const LevelBias& x) {
  f("column", x.column, "of the level");
  f("level", x.level, "its text");
  describe(f, x.bias);
}

void describe(Fields& f, const SupportedIntervals& x) {
  f("rows", x.rows, "how many");
  f("coverage", Finite{x.rows > 0 ? x.coverage : std::nan("")}, "share of them inside");
  f("mean_width", Finite{x.rows > 0 ? x.mean_width : std::nan("")}, "in the unit of the time");
}

void describe(Fields& f, const IntervalDocument& x) {
  f("level", Finite{x.level}, "of the intervals");
  f("coverage", Finite{x.coverage}, "share of the runs inside");
  f("mean_width", Finite{x.mean_width}, "`null` where an end is no number");
  f("usual", x.usual, "factors of a prediction that are its usual ends", kSparse);
  f("near", x.near, "of the runs that `support` calls `process`", kSparse);
  f("far", x.far, "of the runs that `support` calls `trend`", kSparse);
}

void describe(Fields& f, const SupportCounts& x) {
  f(std::string(support_text(true)), x.gp,
    "predictions with the residual correction: measured runs are nearby");
  f(std::string(support_text(false)), x.trend, "predictions by the formula alone");
}

void describe(Fields& f, const BaselineDocument& x) {
  ByName<Finite> drift;
  ByName<std::optional<Interval>> intervals;
  for (const DriftFigure& figure : x.drift) {
    drift.emplace_back(figure.name, Finite{figure.value});
    intervals.emplace_back(figure.name, figure.interval);
  }
  f("file", x.file, "of the older model");
  f("metrics", x.metrics, "[metrics](#metrics) of it");
  f("drift", drift, "[by figure](trust.md#has-it-become-worse); `null` where one is not defined");
  f("confidence", kDriftConfidence, "of the intervals");
  f("intervals", intervals, "of each drift; `null` below ten configurations");
}

void describe(Fields& f, const ErrorGroup& x) {
  f("values", x.name, "the level, one value, or the lowest and the highest");
  f("rows", x.rows, "how many runs");
  f("median_time", Finite{x.median_time}, "measured");
  f("mape_percent", Finite{x.mape}, "of these runs");
  f("median_error_percent", Finite{x.middle}, "of (predicted - measured) / measured");
}

void describe(Fields& f, const ErrorsAlong& x) {
  f("column", x.column, "an input");
  f("groups", x.groups, "its runs");
}

void describe(Fields& f, const Share& x) {
  f("part", x.name, "an input, a term or `C`");
  f("percent", Finite{x.percent}, "of the time of these runs");
  f("percent_at_central_run", Finite{x.percent_shown}, "of the time of the fit's central run");
  f("percent_ruled", Finite{x.percent_ruled}, "of the runs: where it is the largest part");
  f("most_at", x.most_at, "where it is the largest part, or larger than elsewhere", kSparse);
}

void describe(Fields& f, const OutlyingRun& x) {
  f("line", x.line, "in the file");
  f("measured", Finite{x.measured}, "time");
  f("predicted", Finite{x.predicted}, "time");
  f("robust_z", Finite{x.robust_z}, "how far it is out");
}

/// Describes the ends of an interval if there is one.
void describe_ends(Fields& f, const std::optional<Interval>& interval, const std::string& meaning) {
  const auto [low, high] = interval.value_or(Interval{});
  f("lower", Finite{low}, meaning, only_if(interval.has_value()));
  f("upper", Finite{high}, meaning, only_if(interval.has_value()));
}

void describe_unit(Fields& f, const std::string& column, const std::string& unit) {
  f.object(
      "target", "the time",
      [&](Fields& target) {
        target("column", column, "its name");
        target("unit", unit, "a label; may be empty");
      });
}

namespace {

/// Describes `model` and `data` with additional fields of both.
template <class Model, class Data>
void describe_files(Fields& f, const std::string& model_file, const std::string& tool,
                    const std::string& runs_file, const std::string& sha256, const Model& model,
                    const Data& data) {
  f.object("model", "that was judged", [&](Fields& inner) {
    inner("file", model_file, "its name");
    inner("created_by", tool, "the version that fitted it");
    model(inner);
  });
  f.object("data", "the runs", [&](Fields& inner) {
    inner("file", runs_file, "its name");
    inner("sha256", sha256, "of its bytes");
    data(inner);
  });
}

void describe_prediction(Fields& f, const std::string& target, const PredictionDocument& x) {
  const FieldRule if_beside = only_if(x.formula.has_value());
  const double formula = x.formula.value_or(x.time);
  f("predicted_" + target, Finite{x.time}, "the time");
  describe_ends(f, x.interval, "where the model has intervals; `null`: no number");
  f("trend", Finite{formula}, "the time of the formula, where it is not the prediction", if_beside);
  f("process", Finite{x.time / formula}, "the factor that this is multiplied by", if_beside);
  f("support", support_text(x.near.value_or(false)),
    "[with the residual correction, or by the formula alone](#support)",
    only_if(x.near.has_value()));
  f("in_range", x.in_range,
    "[whether it is like the measured runs](trust.md#is-a-configuration-like-the-measured-ones)");
  f("p_fails", x.p_fails, "[the probability that a run fails](#failures)", kSparse);
}

void describe_quantile(Fields& f, const PredictionsDocument& x) {
  f("quantile", x.quantile, "share of new runs below a predicted [bound](#bounds)", kSparse);
  f("determined", x.determined, "`false`: the model has no more rows than constants",
    only_if(!x.determined));
}

void describe_findings(Fields& f, const std::vector<std::string>& findings) {
  f("range_findings", findings, "sentences: which range or combination is left", kSparse);
}

}  // namespace

// Documents

void describe(Fields& f, const EvaluationDocument& x) {
  f.document("perfmodel/evaluation", "A model on measured runs: evaluate");
  describe_unit(f, x.model.spec.target, x.model.spec.unit);
  describe_files(
      f, x.model_file, x.model.provenance.tool, x.runs_file, x.runs_sha256,
      [&](Fields& model) {
        model("fitted_to", x.model.provenance.sha256, "the SHA-256 of its runs");
      },
      [&](Fields& data) {
        data("rows_left_out", x.left_out.without_time, "runs without a predicted time > 0");
        data("rows_of_fit", x.left_out.of_fit,
             "runs that the model was fitted to; left out, unless all are or each is listed");
        data("failed", x.left_out.failed, "runs that failed", kSparse);
      });
  f("metrics", x.metrics, "[metrics](#metrics) of the model on these runs");
  describe(f, x.bias.all);
  f("biased_levels", x.bias.levels, "levels whose runs differ from all others", kSparse);
  f("bias_of_others", x.bias.levels.empty() ? std::nullopt : std::optional(x.bias.others),
    "of the runs of no such level", kSparse);
  f("errors_along", x.errors_along, "errors by input", kSparse);
  f("shares", x.shares, "what each part of the formula is of its time", kSparse);
  f("noise_floor", x.noise_floor, "of these runs");
  f("prediction_intervals", x.intervals, "where the model has them", kSparse);
  f("bound", x.bound, "where the predictions are [bounds](#bounds)", kSparse);
  f("support", x.support, "with a residual correction", kSparse);
  f("baseline", x.baseline, "an older model on the same runs", kSparse);
  f("gates", x.gates, "conditions that fail the judgement", kSparse);
  f("outliers", x.outliers, "runs far from the model", kSparse);
  f("may_be_bent", x.may_be_bent,
    "whether an outlier may have bent the model, so that the runs beside it are listed",
    only_if(x.outliers.has_value()));
}

void describe(Fields& f, const SinglePrediction& x) {
  f.document("perfmodel/prediction", "One predicted time: predict");
  describe_prediction(f, x.document.target,
                      f.writes() ? x.document.predictions.front() : PredictionDocument{});
  describe_quantile(f, x.document);
  describe_findings(f, x.document.range_findings);
}

void describe(Fields& f, const PredictionsDocument& x) {
  f.document("perfmodel/predictions", "Times of several configurations: predict");
  f("by", x.by, "the group of the model; of many models there is an array of such documents",
    kSparse);
  f.list("predictions", x.predictions, "each", [&](Fields& item, auto& prediction, std::size_t) {
    item("configuration", prediction.configuration, "a value by column");
    describe_prediction(item, x.target, prediction);
  });
  describe_quantile(f, x);
  describe_findings(f, x.range_findings);
}

void describe(Fields& f, const EvaluationsDocument& x) {
  f.document("perfmodel/evaluations", "A set of models on measured runs: evaluate");
  describe_files(
      f, x.model_file, x.header.tool, x.runs_file, x.runs_sha256,
      [&](Fields& model) { model("job", x.header.job, "of the set"); }, [](Fields&) {});
  f.list("models", x.judged, "the largest error first",
         [&](Fields& item, const ModelSetLine& line, std::size_t) {
           item("task", line.task, "its number, from 0");
           item("key", Named<const std::string>{x.header.by, line.key.data()},
                "the texts of the key columns");
           item("target", line.target, "the measured column");
           item("metrics", line.model.value_or(FittedModel{}).known.metrics.train,
                "[metrics](#metrics)");
         });
  f("gates", x.gates, "conditions that fail the judgement", kSparse);
}

void describe(Fields& f, const VersionDocument& x) {
  f.document("perfmodel/version", "The program itself and how it was built");
  f("version", x.version, "semantic version");
  f("compiler", x.compiler, "that built it");
  f("kernels", x.kernels, "instruction sets of this machine that it uses, the default last");
  f("black_boxes", x.black_boxes, "libraries that `compare` uses");
  f("model_schema_version", kModelSchemaVersion, "newest version of model files that it reads");
}

std::optional<bool> is_document(const std::string& path) {
  constexpr std::size_t kBeginning = 65536;
  std::error_code no_matter;
  if (!std::filesystem::is_regular_file(path, no_matter))
    return std::nullopt;
  std::string bytes(kBeginning, ' ');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  std::erase_if(
      bytes, [](char c) { return std::string_view(" \t\r\n").find(c) != std::string::npos; });
  const auto has = [&](std::string_view text) { return bytes.find(text) != std::string::npos; };
  return bytes.starts_with('{') && (has("\"schema\":\"perfmodel/") || has("\"columns\":[{"));
}

namespace {

Json schema_of_set() {
  Json header = schema_of<ModelSetHeader>();
  header["$defs"] = {{"line", Fields(&kSample<ModelSetHeader>).schema_of<ModelSetLine>()}};
  return header;
}

}  // namespace

std::vector<std::pair<std::string, Json>> json_schemas() {
  const auto kinds = with_added<DocumentKind>({{"model", schema_of<FittedModel>},
                                               {"prediction", schema_of<SinglePrediction>},
                                               {"predictions", schema_of<PredictionsDocument>},
                                               {"evaluation", schema_of<EvaluationDocument>},
                                               {"evaluations", schema_of<EvaluationsDocument>},
                                               {"version", schema_of<VersionDocument>},
                                               {"models", schema_of_set}});
  return mapped(kinds, [](const DocumentKind& kind) {
    return std::pair(std::string(kind.name), kind.schema());
  });
}

}  // namespace perfmodel
