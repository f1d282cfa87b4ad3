#include "report/documents.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json.hpp"
#include "report/model_json.hpp"

namespace perfmodel {
namespace {

Json to_json(const ModelScore& score) {
  Json powers = Json::object();
  for (std::size_t j = 0; j < score.columns.size(); ++j)
    powers[score.columns[j]] = finite(score.scaling_powers[j]);
  return {{"name", score.name},
          {"file", score.file},
          {"metrics", to_json(score.metrics)},
          {"fit_seconds", finite(score.fit_seconds)},
          {"scaling_powers", score.columns.empty() ? Json() : powers}};
}

}  // namespace

std::string comparison_to_json(const std::vector<Provenance>& data,
                               const std::vector<ModelScore>& scores, bool has_black_boxes) {
  Json files = Json::array();
  for (const Provenance& source : data)
    files.push_back(data_to_json(source));
  Json models = Json::array();
  for (const ModelScore& score : scores)
    models.push_back(to_json(score));
  return document_text({{"schema", "perfmodel/comparison"},
                        {"schema_version", 1},
                        {"data", files},
                        {"black_boxes", has_black_boxes},
                        {"models", models}});
}

namespace {

Json baseline_to_json(const BaselineDocument& baseline) {
  Json drift = Json::object();
  Json intervals = Json::object();
  for (const DriftFigure& figure : baseline.drift) {
    drift[figure.name] = finite(figure.value);
    intervals[figure.name] = interval_to_json(figure.interval);
  }
  return {{"file", baseline.file},
          {"metrics", to_json(baseline.metrics)},
          {"drift", drift},
          {"confidence", finite(kDriftConfidence)},
          {"intervals", intervals}};
}

Json supported_to_json(const SupportedIntervals& part) {
  const bool any = part.rows > 0;
  return {{"rows", part.rows},
          {"coverage", any ? finite(part.coverage) : Json()},
          {"mean_width", any ? finite(part.mean_width) : Json()}};
}

}  // namespace

std::string_view support_text(bool near) {
  return near ? "process" : "trend";
}

std::string evaluation_to_json(const FittedModel& model, const EvaluationDocument& report) {
  Json document = {{"schema", "perfmodel/evaluation"},
                   {"schema_version", 1},
                   {"target", {{"column", model.spec.target}, {"unit", model.spec.unit}}},
                   {"model",
                    {{"file", report.model_file},
                     {"created_by", model.provenance.tool},
                     {"fitted_to", model.provenance.sha256}}},
                   {"data",
                    {{"file", report.runs_file},
                     {"sha256", report.runs_sha256},
                     {"rows_left_out", report.rows_left_out}}},
                   {"metrics", to_json(report.metrics)},
                   {"bias_percent", finite(report.bias.value)},
                   {"noise_floor", to_json(report.noise_floor)}};
  if (!report.failed.empty())
    document["data"]["failed"] = failed_to_json(report.failed);
  if (report.intervals) {
    document["prediction_intervals"] = {{"level", finite(report.intervals->level)},
                                        {"coverage", finite(report.intervals->coverage)},
                                        {"mean_width", finite(report.intervals->mean_width)}};
    for (const auto& [name, part] :
         {std::pair{"near", report.intervals->near}, std::pair{"far", report.intervals->far}})
      if (part)
        document["prediction_intervals"][name] = supported_to_json(*part);
  }
  if (report.support) {
    document["support"] = {{support_text(true), report.support->process},
                           {support_text(false), report.support->trend}};
  }
  if (report.baseline)
    document["baseline"] = baseline_to_json(*report.baseline);
  if (!report.gates.empty())
    document["gates"] = gates_to_json(report.gates);
  if (report.outliers) {
    document["outliers"] = Json::array();
    for (const OutlyingRun& run : *report.outliers) {
      document["outliers"].push_back({{"line", run.line},
                                      {"measured", finite(run.measured)},
                                      {"predicted", finite(run.predicted)},
                                      {"robust_z", finite(run.robust_z)}});
    }
  }
  return document_text(document);
}

namespace {

void add_prediction(const std::string& target, const PredictionDocument& prediction, Json& out) {
  out["predicted_" + target] = finite(prediction.time);
  if (prediction.interval) {
    out["lower"] = finite(prediction.interval->first);
    out["upper"] = finite(prediction.interval->second);
  }
  if (prediction.process) {
    out["trend"] = finite(prediction.time / prediction.process->factor);
    out["process"] = finite(prediction.process->factor);
    out["support"] = support_text(prediction.process->near);
  }
  out["in_range"] = prediction.in_range;
}

}  // namespace

std::string predictions_to_json(const std::string& target,
                                const std::vector<PredictionDocument>& predictions,
                                const std::vector<std::string>& range_findings) {
  if (predictions.size() == 1) {
    Json document = {{"schema", "perfmodel/prediction"}, {"schema_version", 1}};
    add_prediction(target, predictions.front(), document);
    if (!range_findings.empty())
      document["range_findings"] = range_findings;
    return document_text(document);
  }
  Json list = Json::array();
  for (const PredictionDocument& prediction : predictions) {
    Json configuration = Json::object();
    for (const auto& [column, value] : prediction.configuration)
      configuration[column] = std::holds_alternative<double>(value)
                                  ? finite(std::get<double>(value))
                                  : Json(std::get<std::string>(value));
    Json entry = {{"configuration", std::move(configuration)}};
    add_prediction(target, prediction, entry);
    list.push_back(std::move(entry));
  }
  Json document = {
      {"schema", "perfmodel/predictions"}, {"schema_version", 1}, {"predictions", list}};
  if (!range_findings.empty())
    document["range_findings"] = range_findings;
  return document_text(document);
}

std::string evaluations_to_json(const EvaluationsDocument& report) {
  const ModelSetHeader& header = report.judged->header;
  Json models = Json::array();
  for (const ModelSetLine& line : report.judged->lines) {
    models.push_back({{"task", line.task},
                      {"key", key_to_json(line, header)},
                      {"target", line.target},
                      {"metrics", to_json(line.model->metrics.train)}});
  }
  Json out = {
      {"schema", "perfmodel/evaluations"},
      {"schema_version", 1},
      {"model", {{"file", report.model_file}, {"created_by", header.tool}, {"job", header.job}}},
      {"data", {{"file", report.runs_file}, {"sha256", report.runs_sha256}}},
      {"models", std::move(models)}};
  if (report.total) {
    out["total"] = {{"name", header.total->name},
                    {"share_percent", finite(report.total->percent)},
                    {"without", report.total->without}};
  }
  if (!report.gates.empty())
    out["gates"] = gates_to_json(report.gates);
  return document_text(out);
}

Json interval_to_json(const std::optional<Interval>& interval) {
  return interval ? Json{{"lower", number(interval->low)}, {"upper", number(interval->high)}}
                  : Json();
}

Json gates_to_json(const std::vector<GateDocument>& gates) {
  Json out = Json::array();
  for (const GateDocument& gate : gates) {
    const bool known = gate.value && std::isfinite(*gate.value);
    out.push_back({{"condition", gate.condition},
                   {"value", known ? number(*gate.value) : Json()},
                   {"interval", interval_to_json(gate.interval)},
                   {"fired", gate.fired}});
  }
  return out;
}

namespace {

Json to_json(const ssgd::Imbalance& imbalance) {
  return {{"imbalance_ratio", number(imbalance.imbalance_ratio)},
          {"load_imbalance_factor", number(imbalance.load_imbalance_factor)},
          {"pop_load_balance", number(imbalance.pop_load_balance)},
          {"relative_imbalance", number(imbalance.relative_imbalance)},
          {"imbalance_percentage", number(imbalance.imbalance_percentage)}};
}

Json to_json(const ssgd::PopFactors& pop) {
  return {{"load_balance", number(pop.load_balance)},
          {"serialisation_efficiency", number(pop.serialisation_efficiency)},
          {"transfer_efficiency", number(pop.transfer_efficiency)},
          {"communication_efficiency", number(pop.communication_efficiency)},
          {"parallel_efficiency", number(pop.parallel_efficiency)},
          {"computation_scaling", number(pop.computation_scaling)},
          {"global_efficiency", number(pop.global_efficiency)}};
}

Json to_json(const ssgd::ScheduleFigures& figures) {
  return {{"name", figures.name},
          {"message_times", figures.measured ? "measured" : "modelled"},
          {"chosen", figures.chosen},
          {"messages", figures.messages},
          {"communication_us", number(figures.communication_us)},
          {"exposed_us", number(figures.exposed_us)},
          {"finish_us", number(figures.finish_us)},
          {"iteration_us", number(figures.total_us)},
          {"speedup", number(figures.speedup)},
          {"efficiency", number(figures.efficiency)}};
}

Json to_json(const ssgd::Iteration& iteration) {
  return {{"read_us", number(iteration.phases.read_us)},
          {"split_us", number(iteration.phases.split_us)},
          {"copy_us", number(iteration.phases.copy_us)},
          {"forward_us", number(iteration.compute.forward_us)},
          {"backward_us", number(iteration.compute.backward_us())},
          {"communication_us", number(iteration.communication_us)},
          {"finish_us", number(iteration.finish_us)},
          {"exposed_us", number(iteration.exposed_us)},
          {"update_us", number(iteration.phases.update_us)},
          {"iteration_us", number(iteration.total_us)}};
}

Json messages(const ssgd::Profile& profile, const ssgd::Iteration& iteration) {
  Json messages = Json::array();
  for (const auto& message : iteration.messages) {
    const auto layer = [&](std::size_t gradient) {
      return profile.layers[iteration.gradients[gradient].layer].name;
    };
    messages.push_back({{"first_layer", layer(message.gradients.first)},
                        {"last_layer", layer(message.gradients.last)},
                        {"bytes", number(message.bytes)},
                        {"start_us", number(message.start_us)},
                        {"end_us", number(message.end_us)}});
  }
  return messages;
}

Json message_times(const SsgdDocument& document) {
  Json times = {{"source", document.message_times}};
  if (document.request.cost) {
    times["start_us"] = number(document.request.cost->start_us);
    times["per_byte_us"] = number(document.request.cost->per_byte_us);
  }
  if (document.latency_fit) {
    times["fit"] = {{"points", document.latency_fit->points},
                    {"r2", number(document.latency_fit->r2)}};
    if (document.study.workers > 1) {
      const auto ring = ssgd::as_ring(document.latency_fit->cost, document.study.workers);
      times["fit"]["ring_alpha_us"] = number(ring.alpha_us);
      times["fit"]["ring_beta_us_per_byte"] = number(ring.beta_us);
    }
  }
  return times;
}

}  // namespace

std::string to_json(const SsgdDocument& document) {
  const ssgd::Study& study = document.study;
  Json schedules = Json::array();
  for (const auto& figures : study.schedules)
    schedules.push_back(to_json(figures));
  Json root = {{"schema", "perfmodel/ssgd"},
               {"schema_version", 1},
               {"layers",
                {{"file", document.file},
                 {"count", document.profile.layers.size()},
                 {"gradient_bytes", number(document.profile.gradient_bytes())}}},
               {"workers", study.workers},
               {"scaling", study.strong_scaling ? "strong" : "weak"},
               {"input_pipeline", ssgd::to_text(document.request.phases.pipeline)},
               {"message_times", message_times(document)},
               {"one_worker", to_json(study.single)},
               {"iteration", to_json(study.chosen)},
               {"speedup", number(study.speedup)},
               {"efficiency", number(study.efficiency)},
               {"lost_to_communication_us", number(study.lost_to_communication_us)},
               {"lost_to_imbalance_us", number(study.lost_to_imbalance_us)},
               {"imbalance", to_json(study.imbalance)},
               {"pop", to_json(study.pop)},
               {"schedules", std::move(schedules)},
               {"messages", messages(document.profile, study.chosen)},
               {"own_designs", document.own_designs}};
  if (document.batch) {
    root["samples_per_second"] =
        number(static_cast<double>(study.workers) * *document.batch / study.chosen.total_us * 1e6);
  }
  if (study.bound_us > 0)
    root["bound_of_one_message_per_layer_us"] = number(study.bound_us);
  return document_text(root);
}

std::string selftest_to_json(const std::vector<SelftestFigure>& figures) {
  Json list = Json::array();
  for (const SelftestFigure& figure : figures) {
    list.push_back({{"problem", figure.problem},
                    {"quantity", figure.quantity},
                    {"certified", number(figure.certified)},
                    {"computed", std::isfinite(figure.computed) ? number(figure.computed) : Json()},
                    {"digits", number(figure.digits)},
                    {"promised", number(figure.promised)},
                    {"passed", figure.passed()}});
  }
  const bool passed = std::all_of(figures.begin(), figures.end(),
                                  [](const SelftestFigure& figure) { return figure.passed(); });
  return document_text({{"schema", "perfmodel/selftest"},
                        {"schema_version", 1},
                        {"passed", passed},
                        {"figures", list}});
}

}  // namespace perfmodel
