#include "io/documents/evaluations_json.hpp"

#include <utility>

#include "io/model/metrics_json.hpp"

namespace perfmodel {

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

}  // namespace perfmodel
