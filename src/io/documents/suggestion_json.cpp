#include "io/documents/suggestion_json.hpp"

#include "io/documents/plan_json.hpp"
#include "json/json_layout.hpp"

namespace perfmodel {
namespace {

Json to_json(const plan::Space& space, const plan::Suggestion& suggestion, bool with_cost) {
  Json item = {{"configuration", configuration_to_json(space, suggestion.configuration)},
               {"predicted_time", finite(suggestion.time)}};
  if (with_cost)
    item["cost"] = finite(suggestion.cost);
  return item;
}

}  // namespace

std::string to_json(const SuggestionDocument& document) {
  const auto list = [&](const std::vector<plan::Suggestion>& suggestions) {
    Json items = Json::array();
    for (const auto& suggestion : suggestions)
      items.push_back(to_json(document.space, suggestion, document.with_cost));
    return items;
  };
  Json root = {{"schema", "perfmodel/suggestions"},
               {"schema_version", 1},
               {"target", {{"column", document.target}, {"unit", document.unit}}},
               {"searched", document.suggestions.searched},
               {"without_time", document.suggestions.without_time},
               {"allowed", document.suggestions.allowed},
               {"complete", document.suggestions.complete}};
  if (document.next.empty()) {
    root["fastest"] = list(document.suggestions.fastest);
    if (document.with_cost) {
      root["cheapest"] = list(document.suggestions.cheapest);
      root["pareto"] = list(document.suggestions.pareto);
    }
  } else {
    Json items = Json::array();
    for (const NextSuggestion& next : document.next) {
      Json item = to_json(document.space, next.suggestion, true);
      item["deviation_gain"] = finite(next.run.deviation_gain);
      item["log_determinant_gain"] = finite(next.run.log_determinant);
      items.push_back(std::move(item));
    }
    root["mean_deviation"] = finite(document.deviation);
    root["next"] = std::move(items);
  }
  return document_text(root);
}

}  // namespace perfmodel
