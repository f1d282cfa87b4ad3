#include "report/documents.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include "base/text.hpp"
#include "fit/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"
#include "report/model_json.hpp"
#include "storage/files.hpp"

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

void describe(Fields& f, const ssgd::Imbalance& x) {
  f("imbalance_ratio", x.imbalance_ratio, "M / m of the largest and the mean time");
  f("load_imbalance_factor", x.load_imbalance_factor, "M / m - 1");
  f("pop_load_balance", x.pop_load_balance, "m / M");
  f("relative_imbalance", x.relative_imbalance, "1 - m / M");
  f("imbalance_percentage", x.imbalance_percentage, "(M - m) / M * G / (G - 1) * 100");
}

void describe(Fields& f, const ssgd::PopFactors& x) {
  f("load_balance", x.load_balance, "mean / max useful time");
  f("serialisation_efficiency", x.serialisation_efficiency, "max useful / time without network");
  f("transfer_efficiency", x.transfer_efficiency, "time without network / time");
  f("communication_efficiency", x.communication_efficiency, "max useful / time");
  f("parallel_efficiency", x.parallel_efficiency, "mean useful / time");
  f("computation_scaling", x.computation_scaling, "useful time on one worker / on all");
  f("global_efficiency", x.global_efficiency, "the product of the two before");
}

void describe(Fields& f, const ssgd::Schedule& x) {
  f("name", x.name, "`naive` or a merge policy");
  f("message_times", x.measured ? "measured" : "modelled", "`measured` or `modelled`");
  f("chosen", x.chosen, "whether it is the one that was asked for");
  f("messages", x.iteration.messages.size(), "their number");
  f("communication_us", x.iteration.communication_us, "all messages, overlapped or not");
  f("exposed_us", x.iteration.exposed_us, "communication that nothing hides");
  f("finish_us", x.iteration.finish_us, "end of the last message");
  f("iteration_us", x.iteration.total_us, "the whole iteration");
  f("speedup", x.speedup, "against one worker");
  f("efficiency", x.efficiency, "against one worker");
}

void describe(Fields& f, const ssgd::Iteration& x) {
  f("read_us", x.phases.read_us, "the mini-batch is read and decoded");
  f("split_us", x.phases.split_us, "the host cuts it into parts");
  f("copy_us", x.phases.copy_us, "to the device");
  f("forward_us", x.compute.forward_us, "the forward pass");
  f("backward_us", f.writes() ? x.compute.backward_us() : 0., "the backward pass");
  f("communication_us", x.communication_us, "all messages, overlapped or not");
  f("finish_us", x.finish_us, "end of the last message");
  f("exposed_us", x.exposed_us, "communication that nothing hides");
  f("update_us", x.phases.update_us, "of the parameters");
  f("iteration_us", x.total_us, "the whole iteration");
}

namespace {

void describe_misfit(Fields& f, std::optional<double> misfit) {
  f("misfit", misfit, "rmse over the mean; `null`: any times at so few scales fit the law");
  f("describes", misfit ? std::optional(*misfit <= scaling::kMostMisfit) : std::nullopt,
    "false: the misfit is too large for a law; `null` beside that of `misfit`");
}

/// Describes the ends of an interval if there is one.
void describe_ends(Fields& f, const std::optional<Interval>& interval, const std::string& meaning) {
  const auto [low, high] = interval.value_or(Interval{});
  f("lower", Finite{low}, meaning, only_if(interval.has_value()));
  f("upper", Finite{high}, meaning, only_if(interval.has_value()));
}

}  // namespace

void describe(Fields& f, const scaling::Amdahl& x) {
  f("serial_fraction", x.serial_fraction, "s of t = t_1 (s + (1 - s) / G)");
  f("time_of_one", x.time_of_one, "t_1");
  f("rmse", x.rmse, "of the times");
  describe_misfit(f, x.misfit);
}

void describe(Fields& f, const scaling::Gustafson& x) {
  f("serial_fraction", x.serial_fraction, "s' of S = G - s' (G - 1)");
  f("rmse", x.rmse, "of the speedups against the first row");
  describe_misfit(f, x.misfit);
}

void describe(Fields& f, const scaling::Usl& x) {
  f("sigma", x.sigma, "contention");
  f("kappa", x.kappa, "coherency");
  f("gamma", x.gamma, "throughput of one worker");
  f("gamma_is_measured", x.gamma_is_measured, "whether it is not fitted");
  f("peak", x.peak(), "scale of the highest throughput; `null`: none near these scales");
  f("rmse", x.rmse, "of the throughputs");
  describe_misfit(f, x.misfit);
}

void describe(Fields& f, const scaling::Limit& x) {
  f("part", x.part, "of the predicted time");
  f("share", x.share, "of the time");
  f("excess", x.excess, "what perfect scaling of it would save, as a share of the time");
}

void describe(Fields& f, const scaling::Knee& x) {
  f("lower", x.lower, "for times at the upper ends of their intervals");
  f("predicted", x.predicted, "for predicted times");
  f("upper", x.upper, "for times at the lower ends");
}

void describe(Fields& f, const scaling::ScaleToMeasure& x) {
  f("scale", x.scale, "of the column");
  f("gain", x.gain, "decrease of the standard deviation of ln t at `aims`, as a share");
  f("cost", x.cost, "predicted time; of workers, of all together");
}

void describe(Fields& f, const plan::Estimate& x) {
  f("predicted", Finite{x.value}, "the value");
  describe_ends(f, x.interval, "where its model has intervals");
}

namespace {

struct SpeedupFields {
  double speedup = 1;
  double efficiency = 1;
};

void describe(Fields& f, const SpeedupFields& x) {
  f("speedup", x.speedup, "relative to the first scale");
  f("efficiency", x.efficiency, "speedup over the ratio of scales");
}

/// The power and the constant of a model; those of ScalingDocument must be set.
struct PowerFields {
  const ScalingDocument& of = kSample<ScalingDocument>;
};

void describe(Fields& f, const PowerFields& x) {
  const auto power = x.of.power.value_or(scaling::PowerPlusConstant{});
  f("settings", x.of.settings, "what was held");
  f("q", power.power, "of t = A G^q + C");
  f("A", power.scalable, "the part that scales, at G = 1");
  f("C", power.constant, "the part that does not");
  f("pays_until", x.of.model_pays_until, "the largest whole scale at or above the limit");
  f.list("readings", x.of.readings, "of the power", [](Fields& item, auto& reading, std::size_t) {
    item("scale", reading.scale, "G");
    item("scalable_part", SpeedupFields{reading.scalable_speedup, reading.scalable_efficiency},
         "what q alone says");
    item("whole_time", SpeedupFields{reading.whole_speedup, reading.whole_efficiency},
         "what q and C say");
  });
}

/// What doubling the scale does.
struct DoublingFields {
  const ScalingDocument& of = kSample<ScalingDocument>;
};

void describe(Fields& f, const DoublingFields& x) {
  const Effect effect = x.of.doubling.value_or(Effect{});
  f("from", effect.from, "scale");
  f("to", effect.to, "twice as much");
  f("time_ratio", effect.ratio, "the predicted time at `to` over that at `from`");
  f("measured", effect.measured, "whether both lie in the measured range");
  f("at", x.of.doubling_at, "the central run, in words, with what was set");
}

/// Value of each column, by column name.
struct PlannedConfiguration {
  const plan::Space& space;
  const plan::Configuration& values;

  Json json() const {
    Json out = Json::object();
    for (std::size_t c = 0; c < space.columns.size(); ++c) {
      const auto& column = space.columns[c];
      out[column.name] = column.is_text() ? Json(column.text(values[c])) : number(values[c]);
    }
    return out;
  }
  static Json schema() { return fields::map_of(Fields().schema_of<InputValue>()); }
};

void describe_unit(Fields& f, const std::string& column, const std::string& unit) {
  f.object(
      "target", "the time",
      [&](Fields& target) {
        target("column", column, "its name");
        target("unit", unit, "a label; may be empty");
      });
}

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
  const GpPart part = x.gp.value_or(GpPart{});
  const FieldRule if_gp = only_if(x.gp.has_value());
  f("predicted_" + target, Finite{x.time}, "the time");
  describe_ends(f, x.interval, "where the model has intervals; `null`: no number");
  f("trend", Finite{x.time / part.factor}, "the time of the formula", if_gp);
  f("process", Finite{part.factor}, "the factor that this is multiplied by", if_gp);
  f("support", support_text(part.near),
    "[with the residual correction, or by the formula alone](#support)", if_gp);
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

void describe_message_times(Fields& f, const SsgdDocument& x) {
  const auto cost = x.request.cost.value_or(ssgd::LinearCost{});
  const FieldRule if_cost = only_if(x.request.cost.has_value());
  f("source", x.message_times, "in words");
  f("start_us", cost.start_us, "of a formula or a line", if_cost);
  f("per_byte_us", cost.per_byte_us, "of a formula or a line", if_cost);
  const auto fit = x.latency_fit.value_or(ssgd::LatencyFit{});
  const bool is_ring = x.latency_fit && x.study.workers > 1;
  const auto ring = is_ring ? ssgd::as_ring(fit.cost, x.study.workers) : ssgd::Link{};
  f.object("fit", "to latencies", only_if(x.latency_fit.has_value()), [&](Fields& inner) {
    inner("points", fit.points, "how many");
    inner("r2", fit.r2, "share of the variance explained");
    inner("ring_alpha_us", ring.alpha_us, "of a ring that takes as long", only_if(is_ring));
    inner("ring_beta_us_per_byte", ring.beta_us, "of it", only_if(is_ring));
  });
}

void describe_messages(Fields& f, const SsgdDocument& x) {
  const ssgd::Iteration& iteration = x.study.chosen;
  const auto layer = [&](std::size_t gradient) {
    return f.writes() ? x.profile.layers[iteration.gradients[gradient].layer].name : "";
  };
  f.list("messages", iteration.messages, "one after another",
         [&](Fields& item, const ssgd::Message& message, std::size_t) {
           item("first_layer", layer(message.gradients.first), "whose gradients it has");
           item("last_layer", layer(message.gradients.last), "whose gradients it has");
           item("bytes", message.bytes, "its size");
           item("start_us", message.start_us, "within the iteration");
           item("end_us", message.end_us, "within the iteration");
         });
}

void describe_rows(Fields& f, const ScalingDocument& x) {
  const auto told = [&](auto value) {
    return x.tells_speedup ? std::optional<double>(value) : std::nullopt;
  };
  f.list("rows", x.study.rows, "one per scale", [&](Fields& item, auto& row, std::size_t i) {
    const bool has_range = !x.in_range.empty();
    const bool has_interval = !x.intervals.empty();
    const Interval interval = has_interval ? x.intervals[i] : Interval{};
    const bool has_bands = has_interval && x.tells_speedup && x.forecast;
    const Interval speedup = has_bands ? x.forecast->speedups[i] : Interval{};
    const Interval efficiency = has_bands ? x.forecast->efficiencies[i] : Interval{};
    const bool has_limit = x.tells_speedup && x.forecast;
    item("scale", row.scale, "value of the column");
    item("time", row.time, "measured or predicted");
    item("configurations", row.configurations, "how many were compared");
    item("speedup", told(row.speedup), "against the first row");
    item("efficiency", told(row.efficiency), "speedup over the ratio of scales");
    item("karp_flatt", x.tells_speedup ? row.karp_flatt : std::nullopt,
         "serial share of the first row");
    item("equivalent_power", row.equivalent_power, "q of speedup = (scale ratio)^-q");
    item("in_range", has_range ? std::optional<bool>(x.in_range[i]) : std::nullopt,
         "of a model: whether the row is not extrapolated");
    item("lower", interval.low, "of the time, where the model has intervals",
         only_if(has_interval));
    item("upper", interval.high, "of the time, where the model has intervals",
         only_if(has_interval));
    item("speedup_lower", speedup.low, "for `upper`, against the predicted first row",
         only_if(has_bands));
    item("speedup_upper", speedup.high, "for `lower`", only_if(has_bands));
    item("efficiency_lower", efficiency.low, "for `upper`", only_if(has_bands));
    item("efficiency_upper", efficiency.high, "for `lower`", only_if(has_bands));
    item("limit", has_limit ? x.forecast->limits[i] : std::nullopt,
         "of a model: the part of the time that scales worst; `null`: all scale perfectly",
         only_if(has_limit));
  });
}

void describe_suggestion(Fields& f, const SuggestionDocument& document, const plan::Suggestion& x,
                         bool with_cost) {
  ByName<plan::Estimate> bounded;
  for (std::size_t k = 0; k < x.bounded.size(); ++k)
    bounded.emplace_back(document.bounded[k].first, x.bounded[k]);
  f("configuration", PlannedConfiguration{document.space, x.configuration}, "a value by column");
  f("predicted_time", Finite{x.time}, "the time");
  describe_ends(f, x.interval, "where the model has intervals");
  f("cost", Finite{x.cost}, "time * price; of `next` with the overhead", only_if(with_cost));
  f("value", x.maximised, "of `--maximise`", only_if(document.maximises));
  f("bounded", bounded, "the other targets that conditions or `--maximise` name",
    only_if(!bounded.empty()));
  f("p_fails", x.p_fails, "[the probability that a run fails](#failures)", kSparse);
}

void describe_point(Fields& f, const SweepPoint& x, std::size_t) {
  ByName<Finite> constants;
  const auto names = f.writes() ? constant_names(x.model) : std::vector<std::string>{};
  for (std::size_t k = 0; k < names.size(); ++k)
    constants.emplace_back(names[k], Finite{x.model.constants[static_cast<Eigen::Index>(k)]});
  f("penalty", x.penalty, "which one");
  f("lambda", Finite{x.lambda}, "its weight");
  f("cost", Finite{x.model.search.cost}, "that was minimised");
  f("validation_loss", Finite{x.validation_loss}, "mean over the validation rows");
  f("validation_loss_standard_error", Finite{x.standard_error}, "of the mean over the rows");
  f("termination", x.model.search.termination, "of the search");
  f("metrics", x.model.known.metrics, "[metrics](#metrics) by part");
  f("constants", constants, "by name");
}

}  // namespace

// Documents

void describe(Fields& f, const ComparisonDocument& x) {
  f.document("perfmodel/comparison", "Models and black boxes: compare");
  f("data", x.data, "the runs");
  f("black_boxes", x.has_black_boxes, "whether the program was built with them");
  f.list("models", x.scores, "what was compared", [](Fields& item, auto& score, std::size_t) {
    ByName<Finite> powers;
    for (std::size_t j = 0; j < score.columns.size(); ++j)
      powers.emplace_back(score.columns[j], Finite{score.scaling_powers[j]});
    item("name", score.name, "of the model or black box");
    item("file", score.file, "its runs");
    item("metrics", score.metrics, "[metrics](#metrics) by part");
    item("fit_seconds", Finite{score.fit_seconds}, "how long its fit took");
    item("scaling_powers", powers.empty() ? std::nullopt : std::optional(powers), "by column");
  });
}

void describe(Fields& f, const Evaluation& x) {
  const EvaluationDocument& report = x.report;
  f.document("perfmodel/evaluation", "A model on measured runs: evaluate");
  describe_unit(f, x.model.spec.target, x.model.spec.unit);
  describe_files(
      f, report.model_file, x.model.provenance.tool, report.runs_file, report.runs_sha256,
      [&](Fields& model) {
        model("fitted_to", x.model.provenance.sha256, "the SHA-256 of its runs");
      },
      [&](Fields& data) {
        data("rows_left_out", report.rows_left_out, "runs without a predicted time > 0");
        data("rows_of_fit", report.rows_of_fit,
             "runs that the model was fitted to; left out, unless all are or each is listed");
        data("failed", report.failed, "runs that failed", kSparse);
      });
  f("metrics", report.metrics, "[metrics](#metrics) of the model on these runs");
  describe(f, report.bias.all);
  f("biased_levels", report.bias.levels, "levels whose runs differ from all others", kSparse);
  f("bias_of_others", report.bias.levels.empty() ? std::nullopt : std::optional(report.bias.others),
    "of the runs of no such level", kSparse);
  f("errors_along", report.errors_along, "errors by input", kSparse);
  f("shares", report.shares, "what each part of the formula is of its time", kSparse);
  f("noise_floor", report.noise_floor, "of these runs");
  f("prediction_intervals", report.intervals, "where the model has them", kSparse);
  f("bound", report.bound, "where the predictions are [bounds](#bounds)", kSparse);
  f("support", report.support, "with a residual correction", kSparse);
  f("baseline", report.baseline, "an older model on the same runs", kSparse);
  f("gates", report.gates, "conditions that fail the judgement", kSparse);
  f("outliers", report.outliers, "runs far from the model", kSparse);
  f("may_be_bent", report.may_be_bent,
    "whether an outlier may have bent the model, so that the runs beside it are listed",
    only_if(report.outliers.has_value()));
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
  const ModelSetHeader& header = x.judged->header;
  f.document("perfmodel/evaluations", "A set of models on measured runs: evaluate");
  describe_files(
      f, x.model_file, header.tool, x.runs_file, x.runs_sha256,
      [&](Fields& model) { model("job", header.job, "of the set"); }, [](Fields&) {});
  f.list("models", x.judged->lines, "the largest error first",
         [&](Fields& item, const ModelSetLine& line, std::size_t) {
           item("task", line.task, "its number, from 0");
           item("key", key_of(line, header), "the texts of the key columns");
           item("target", line.target, "the measured column");
           item("metrics", line.model.value_or(FittedModel{}).known.metrics.train,
                "[metrics](#metrics)");
         });
  f("gates", x.gates, "conditions that fail the judgement", kSparse);
}

void describe(Fields& f, const SsgdDocument& x) {
  const ssgd::Study& study = x.study;
  const double samples = static_cast<double>(study.workers) * x.batch.value_or(0);
  f.document("perfmodel/ssgd", "An iteration of synchronous SGD: ssgd");
  f.object("layers", "the network", [&](Fields& layers) {
    layers("file", x.file, "its name");
    layers("count", x.profile.layers.size(), "how many");
    layers("gradient_bytes", x.profile.gradient_bytes(), "of all");
  });
  f("workers", study.workers, "their number");
  f("scaling", study.strong_scaling ? "strong" : "weak", "`strong` or `weak`");
  f("input_pipeline", x.request.phases.pipeline, "what of the input overlaps the compute");
  f.object("message_times", "where they come from",
           [&](Fields& times) { describe_message_times(times, x); });
  f("one_worker", study.single, "phases on one worker");
  f("iteration", study.chosen, "phases of the chosen schedule");
  f("speedup", study.speedup, "against one worker");
  f("efficiency", study.efficiency, "against one worker");
  f("lost_to_communication_us", study.lost_to_communication_us, "of the iteration");
  f("lost_to_imbalance_us", study.lost_to_imbalance_us, "of the iteration");
  f("imbalance", study.imbalance, "of the workers");
  f("pop", study.pop, "efficiencies as POP defines them");
  f("schedules", study.schedules, "ways to exchange the gradients");
  describe_messages(f, x);
  f("own_designs", x.own_designs, "sentences: what is not a formula of the model's authors");
  f("samples_per_second", samples / study.chosen.total_us * 1e6, "where the batch is known",
    only_if(x.batch.has_value()));
  f("bound_of_one_message_per_layer_us", study.bound_us, "no order of such messages takes less",
    only_if(study.bound_us > 0));
}

void describe(Fields& f, const VersionDocument& x) {
  f.document("perfmodel/version", "The program itself and how it was built");
  f("version", x.version, "semantic version");
  f("compiler", x.compiler, "that built it");
  f("kernels", x.kernels, "instruction sets of this machine that it uses, the default last");
  f("black_boxes", x.black_boxes, "libraries that `compare` uses");
  f("model_schema_version", kModelSchemaVersion, "newest version of model files that it reads");
}

ScalingDocument of_level(ScalingDocument document, const LevelStudy& level) {
  document.levels.clear();
  document.relative = level.relative;
  document.left_out = level.left_out;
  document.study = level.study;
  return document;
}

/// The study of `x`, or that of a level.
void describe_study(Fields& f, const ScalingDocument& x) {
  const auto told = x.tells_speedup ? x.study : scaling::ScalingStudy();
  f("time_is_relative", x.relative, "whether times are relative to the first row");
  f("left_out", x.left_out, "lines of rows with which nothing could be compared",
    only_if(x.source == "runs"));
  describe_rows(f, x);
  f.object("laws", "`null` where one does not go with the kind", [&](Fields& laws) {
    laws("amdahl", told.amdahl, "of strong scaling");
    laws("gustafson", told.gustafson, "of weak scaling");
    laws("usl", told.usl, "the universal scalability law");
  });
  f("least_efficiency", x.study.least_efficiency, "the limit, as a share");
  f("pays_until", told.pays_until, "the last scale at or above the limit");
  f("pays_no_more_at", told.pays_no_more_at, "the first below it");
  f("fastest_scale", x.tells_speedup ? std::optional(x.study.fastest_scale) : std::nullopt,
    "of the highest throughput");
}

void describe(Fields& f, const ScalingDocument& x) {
  const bool tells = x.tells_speedup;
  f.document("perfmodel/scaling", "Speedup and laws along a column: scaling");
  f("source", x.source, "`model` or `runs`");
  f("file", x.file, "its name");
  f("column", x.column, "the scale");
  f("kind", tells ? std::optional(x.study.kind) : std::nullopt,
    "`null`: no speedups, since it counts no workers");
  f("kind_because", x.kind_because.empty() ? std::nullopt : std::optional(x.kind_because),
    "what told the kind, or what is not known; `null` if the kind was given");
  f("kind_is_open", x.kind_is_open, "no column told the kind for certain: it is assumed");
  f("time_unit", x.relative ? std::string() : x.unit.name, "of times");
  describe_study(f, x);
  f.list(
      "levels", x.levels,
      "of runs: studies of levels that differ by more than noise; the study above is then their "
      "mean, which no law describes",
      [&](Fields& item, const LevelStudy& level, std::size_t) {
        item("at", level.at, "columns and their levels");
        describe_study(item, of_level(x, level));
      },
      only_if(x.source == "runs"));
  f("doubling", x.doubling ? std::optional(DoublingFields{x}) : std::nullopt,
    "of a model: what doubling the scale does");
  f("model", x.power ? std::optional(PowerFields{x}) : std::nullopt, "of Eq. (4)");
  f("interval_level", x.level, "of the intervals of the rows", only_if(!x.intervals.empty()));
  const scaling::Forecast forecast = x.forecast.value_or(scaling::Forecast{});
  f("knee", forecast.knee,
    "of a model: the largest whole scale at or above the limit; `null`: the whole table is",
    only_if(tells && x.forecast));
  f("aims", forecast.aims, "of a model: scales whose time is to become certain",
    only_if(x.forecast.has_value()));
  f("measure_first", forecast.measure_first, "the scales worth a run, the best first",
    only_if(x.forecast.has_value()));
}

void describe(Fields& f, const PlanDocument& x) {
  std::vector<PlannedConfiguration> items;
  for (const plan::Configuration& configuration : x.configurations)
    items.push_back({x.space, configuration});
  f.document("perfmodel/plan", "Configurations to measure: plan");
  f("configurations", std::as_const(items), "a value by column");
}

void describe(Fields& f, const SuggestionDocument& x) {
  const auto& [fastest, cheapest, pareto, best, searched, without_time, without_bounded,
               likely_to_fail, failing, unmet, allowed, complete] = x.suggestions;
  const bool ranks = x.next.empty();
  const auto describe_list = [&](const std::string& name,
                                 const std::vector<plan::Suggestion>& items,
                                 const std::string& meaning, bool stands) {
    f.list(
        name, items, meaning,
        [&](Fields& item, auto& suggestion, std::size_t) {
          describe_suggestion(item, x, suggestion, x.with_cost);
        },
        only_if(stands));
  };
  f.document("perfmodel/suggestions", "Configurations to run or measure: suggest");
  describe_unit(f, x.target, x.unit);
  f("searched", searched, "configurations looked at; of `next` that can be measured");
  f("without_time", without_time,
    "configurations without a predicted time > 0: they are not listed");
  f("without_bounded", without_bounded, "the same for targets that conditions bound",
    only_if(!x.bounded.empty()));
  f("likely_to_fail", likely_to_fail,
    "of the others those that fail with P > 1/4, if the model says that", kSparse);
  describe_list("failing", failing, "the fastest of these", likely_to_fail.value_or(0) > 0);
  f("unmet", unmet,
    "by condition on predicted figures: those that fulfil all before it, but not it",
    only_if(!unmet.empty()));
  f("allowed", allowed, "those that fulfil the conditions");
  f("complete", complete, "whether that was the whole space");
  f("interval_level", x.level, "of the intervals, where there are any", kSparse);
  describe_list("fastest", fastest, "the shortest times", ranks);
  describe_list("cheapest", cheapest, "if there is a price", ranks && x.with_cost);
  describe_list("pareto", pareto, "none is faster and cheaper", ranks && x.with_cost);
  describe_list("best", best, "the highest values of `--maximise`", ranks && x.maximises);
  f("mean_deviation", Finite{x.deviation}, "of a new run of the space, in ln t, before",
    only_if(!ranks));
  f.list(
      "next", x.next, "in place of these",
      [&](Fields& item, auto& suggestion, std::size_t) {
        describe_suggestion(item, x, suggestion.suggestion, true);
        item("deviation_gain", Finite{suggestion.run.deviation_gain}, "how `mean_deviation` falls");
        item("log_determinant_gain", Finite{suggestion.run.log_determinant},
             "ln(1 + variance of ln t there / noise)");
        item("expected_improvement", suggestion.run.expected_improvement,
             "of the lowest ln t, [if that is sought](planning.md#what-to-measure-next)", kSparse);
      },
      only_if(!ranks));
}

void describe(Fields& f, const SweepDocument& x) {
  const SweepPoint& chosen = x.points.empty() ? kSample<SweepPoint> : x.points[x.chosen];
  const SearchSummary& search = chosen.model.search;
  f.document("perfmodel/sweep", "The regularisation path: sweep");
  describe_unit(f, chosen.model.spec.target, chosen.model.spec.unit);
  f("data", x.provenance, "the runs");
  f.object("search", "what all points have in common", [&](Fields& inner) {
    inner("method", search.method, "in normalised columns, or as in the paper");
    inner("loss", search.objective.loss, "that is minimised");
    inner("penalised_constants", search.objective.penalty.constants, "which form of them");
    inner("seed", search.seed, "of the search");
  });
  f.list("points", x.points, "the path", describe_point);
  f.object("chosen", "the point that was chosen", [&](Fields& inner) {
    inner("index", x.chosen, "into the points");
    inner("penalty", chosen.penalty, "of this point");
    inner("lambda", Finite{chosen.lambda}, "of this point");
    inner("rule", x.rule, "by which it was chosen");
  });
}

namespace {

constexpr auto kShortestSpace = R"({"tile": [8, 16], "threads": [1, 2, 4]})";

/// Reads numbers or texts, depending on the first item; a single value is a list of one.
void put_values(const JsonCursor& place, plan::SpaceColumn& column) {
  const auto items = place.is_array() ? place.items() : std::vector{place};
  if (items.empty())
    place.fail("expected at least one value");
  for (const JsonCursor& item : items) {
    if (!item.is_text() && !item.is_number())
      item.fail(std::string("expected a number or a text, as in ") + kShortestSpace);
    const auto put = [&](auto& values, const auto& value, const std::string& shown) {
      if (contains(values, value))
        item.fail(shown + " stands twice");
      values.push_back(value);
    };
    if (items.front().is_text())
      put(column.levels, item.text(), "'" + item.text() + "'");
    else
      put(column.values, item.number(), to_text(item.number()));
  }
}

void check_range(const JsonCursor& range, const plan::SpaceColumn& column) {
  if (!(column.low < column.high))
    range.fail("expected lowest < highest");
  if (column.logarithmic && column.low <= 0)
    range.fail("a logarithmic range has to be > 0");
  if (column.whole &&
      (column.low != std::floor(column.low) || column.high != std::floor(column.high)))
    range.fail("expected whole numbers");
}

/// A space that is nothing but columns and their values.
plan::Space short_space(const JsonCursor& document) {
  plan::Space space;
  if (!document.is_object() || document.names().empty())
    document.fail(std::string("expected columns and their values, as in ") + kShortestSpace);
  for (const auto& [name, values] : document.fields()) {
    if (name.empty())
      values.fail("a column has no name");
    put_values(values, space.columns.emplace_back(plan::SpaceColumn{name, {}, {}}));
  }
  return space;
}

bool is_list_of_objects(const JsonCursor& value) {
  return value.is_array() && std::ranges::all_of(value.items(), &JsonCursor::is_object);
}

/// The rows of a CSV. Quantities with units stay as they are written.
Table candidates_of(const std::string& source, std::string_view bytes) try {
  const Table table = parse_csv(bytes, source);
  std::set<std::string> quantities;
  for (const Column& column : table.columns)
    if (!column.unit.empty())
      quantities.insert(column.name);
  if (quantities.empty())
    return table;
  Table written = parse_csv(bytes, source, quantities);
  return written.columns.size() == table.columns.size() ? written : table;  // units beside numbers
} catch (const InputError& error) {
  throw InputError(std::string(error.what()) + "\n" + source +
                   ": a space is a CSV with a configuration per line, or JSON such as " +
                   kShortestSpace);
}

/// A condition, or a list of conditions.
struct Conditions {
  std::vector<std::string>& texts;

  Json json() const { return texts; }
  void read(const JsonCursor& node) const {
    if (node.is_text())
      texts = {node.text()};
    else
      Fields().read(node, texts);
  }
  static Json schema() {
    const Json text = Fields().schema_of<std::string>();
    return Json{{"anyOf", Json::array({text, fields::list_of(text)})}};
  }
};

}  // namespace

void describe(Fields& f, plan::SpaceColumn& x) {
  std::vector<InputValue> values;
  const bool has_range = f.reads() && f.has("range");
  f("column", x.name, "its name", kName);
  f("values", values, "numbers or texts", only_if(f.reads() && f.has("values")));
  f("range", Ends{x.low, x.high}, "in place of values: lowest and highest", only_if(has_range));
  f("scale", Either{x.logarithmic, "linear", "log"}, "of a range", kNewer);
  f("whole", x.whole, "of a range: whole numbers only", kNewer);
  if (!f.reads())
    return;
  f.refuse_unknown();
  if (f.has("values") == has_range)
    f.fail("expected either 'values' or 'range'");
  if (!has_range && (f.has("scale") || f.has("whole")))
    f.fail("'scale' and 'whole' go with 'range'");
  if (has_range)
    check_range(f.node().member("range"), x);
  else
    put_values(f.node().member("values"), x);
}

void describe(Fields& f, plan::Space& x) {
  std::string description;
  if (!f.reads() || f.has("schema"))
    f.document("perfmodel/space", "What plan and suggest choose from", 1, 1, "space");
  f("description", description, "for people; optional", kNewer);
  f("columns", x.columns, "what is chosen from");
  f("extrinsic", x.extrinsic, "names of the columns of scale; optional", kNewer);
  f("where", Conditions{x.where}, "a condition or a list of some; optional", kNewer);
  if (!f.reads())
    return;
  f.refuse_unknown();
  const JsonCursor columns = f.node().member("columns");
  const auto names = x.names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::ranges::find(names, names[i]) - names.begin() < std::ptrdiff_t(i))
      columns.items()[i].fail(fmt::format("the column '{}' stands twice", names[i]));
  if (names.empty())
    columns.fail("expected at least one column");
  for (std::size_t i = 0; i < x.extrinsic.size(); ++i) {
    if (!contains(names, x.extrinsic[i])) {
      f.node()
          .member("extrinsic")
          .items()[i]
          .fail(fmt::format("there is no column '{}'{}", x.extrinsic[i],
                            did_you_mean(x.extrinsic[i], names)));
    }
  }
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

bool is_short_space(const std::string& path, const std::string& measured) try {
  if (is_document(path).value_or(true))
    return false;
  const JsonCursor document = JsonCursor::parse(path, read_file(path));
  return document.is_object() && std::ranges::none_of(document.fields(), [&](const auto& field) {
           const auto& [name, value] = field;
           return name == measured || value.is_object() || is_list_of_objects(value);
         });
} catch (const InputError&) {  // lines of JSON, or no JSON
  return false;
}

namespace {

plan::Space space_of_json(const JsonCursor& document) {
  if (!document.is_object())
    return short_space(document);
  const auto schema = document.optional_member("schema");
  const auto columns = document.optional_member("columns");
  if (schema && schema->is_text() && schema->text() == "perfmodel/model")
    return plan::space_around(read_model(document, form_kinds()));
  const bool is_full = (schema && schema->is_text()) || (columns && is_list_of_objects(*columns));
  return is_full ? read_json<plan::Space>(document) : short_space(document);
}

}  // namespace

plan::Space parse_space(const std::string& source, std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const bool is_json = first != bytes.npos && (bytes[first] == '{' || bytes[first] == '[');
  plan::Space space = is_json ? space_of_json(JsonCursor::parse(source, bytes))
                              : plan::space_of_candidates(candidates_of(source, bytes));
  space.source = source;
  return space;
}

plan::Space read_space(const std::string& path) {
  return parse_space(display_name(path), read_file(path));
}

std::vector<std::pair<std::string, Json>> json_schemas() {
  const Fields f;
  const auto with_lines = [](Json header, const Json& line) {
    header["$defs"] = {{"line", line}};
    return header;
  };
  return {{"model", f.schema_of<FittedModel>()},
          {"prediction", f.schema_of<SinglePrediction>()},
          {"predictions", f.schema_of<PredictionsDocument>()},
          {"evaluation", f.schema_of<Evaluation>()},
          {"evaluations", f.schema_of<EvaluationsDocument>()},
          {"comparison", f.schema_of<ComparisonDocument>()},
          {"sweep", f.schema_of<SweepDocument>()},
          {"scaling", f.schema_of<ScalingDocument>()},
          {"ssgd", f.schema_of<SsgdDocument>()},
          {"suggestions", f.schema_of<SuggestionDocument>()},
          {"plan", f.schema_of<PlanDocument>()},
          {"version", f.schema_of<VersionDocument>()},
          {"space", f.schema_of<plan::Space>()},
          {"models", with_lines(f.schema_of<ModelSetHeader>(),
                                Fields(&kSample<ModelSetHeader>).schema_of<ModelSetLine>())}};
}

}  // namespace perfmodel
