#include "io/documents/plan_json.hpp"

#include <utility>

namespace perfmodel {

Json configuration_to_json(const plan::Space& space, const plan::Configuration& configuration) {
  Json out = Json::object();
  for (std::size_t c = 0; c < space.columns.size(); ++c) {
    const auto& column = space.columns[c];
    const double value = configuration[c];
    out[column.name] = column.is_text() ? Json(column.text(value)) : number(value);
  }
  return out;
}

std::string plan_to_json(const plan::Space& space,
                         const std::vector<plan::Configuration>& configurations) {
  Json items = Json::array();
  for (const plan::Configuration& configuration : configurations)
    items.push_back(configuration_to_json(space, configuration));
  return document_text(
      {{"schema", "perfmodel/plan"}, {"schema_version", 1}, {"configurations", std::move(items)}});
}

}  // namespace perfmodel
