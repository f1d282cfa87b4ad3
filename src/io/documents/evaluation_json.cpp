#include "io/documents/evaluation_json.hpp"

#include "io/model/data_json.hpp"
#include "io/model/metrics_json.hpp"
#include "io/model/uncertainty_json.hpp"
#include "json/json_layout.hpp"

namespace perfmodel {
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

}  // namespace perfmodel
