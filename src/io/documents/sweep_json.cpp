#include "io/documents/sweep_json.hpp"

#include "io/model/data_json.hpp"
#include "io/model/metrics_json.hpp"
#include "json/json_layout.hpp"

namespace perfmodel {
namespace {

Json constants_by_name(const FittedModel& model) {
  const std::vector<std::string> names = constant_names(model);
  Json constants = Json::object();
  for (std::size_t k = 0; k < names.size(); ++k)
    constants[names[k]] = finite(model.constants[static_cast<Eigen::Index>(k)]);
  return constants;
}

Json to_json(const SweepPoint& point) {
  return {{"penalty", to_text(point.penalty)},
          {"lambda", finite(point.lambda)},
          {"cost", finite(point.model.search.cost)},
          {"validation_loss", finite(point.validation_loss)},
          {"validation_loss_standard_error", finite(point.standard_error)},
          {"termination", point.model.search.termination},
          {"metrics", to_json(point.model.metrics)},
          {"constants", constants_by_name(point.model)}};
}

}  // namespace

std::string sweep_to_json(const SweepDocument& report) {
  Json points = Json::array();
  for (const SweepPoint& point : report.points)
    points.push_back(to_json(point));
  const SweepPoint& chosen = report.points[report.chosen];
  const SearchSummary& search = chosen.model.search;
  const ModelSpec& spec = chosen.model.spec;
  return document_text({{"schema", "perfmodel/sweep"},
                        {"schema_version", 1},
                        {"target", {{"column", spec.target}, {"unit", spec.unit}}},
                        {"data", data_to_json(report.provenance)},
                        {"search",
                         {{"method", to_text(search.method)},
                          {"loss", to_text(search.loss)},
                          {"penalised_constants", to_text(search.penalty.constants)},
                          {"seed", search.seed}}},
                        {"points", points},
                        {"chosen",
                         {{"index", report.chosen},
                          {"penalty", to_text(chosen.penalty)},
                          {"lambda", finite(chosen.lambda)},
                          {"rule", to_text(report.rule)}}}});
}

}  // namespace perfmodel
