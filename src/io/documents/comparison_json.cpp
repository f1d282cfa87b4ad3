#include "io/documents/comparison_json.hpp"

#include "io/model/data_json.hpp"
#include "io/model/metrics_json.hpp"
#include "json/json_layout.hpp"

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

}  // namespace perfmodel
