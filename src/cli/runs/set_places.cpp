#include "cli/runs/set_places.hpp"

#include <algorithm>

#include "perfmodel/base/error.hpp"
#include "perfmodel/model/design/design.hpp"
#include "perfmodel/pipeline/settings.hpp"

namespace perfmodel::cli {
namespace {

std::optional<Configuration> place_in(const FittedModel& model,
                                      const std::vector<std::string>& settings,
                                      const BaseConfiguration& base) {
  const SetConfigurations set = configurations_of_settings(settings, model, base);
  if (set.table.rows() != 1)
    throw UsageError("--set: models are ranked at one configuration; give one value each");
  return configuration_of(make_design(set.table, model.spec, Target::absent), 0);
}

}  // namespace

std::vector<std::optional<Configuration>> places_of_settings(
    const std::vector<std::string>& settings, const std::vector<const FittedModel*>& models) {
  std::vector<std::optional<Configuration>> out(models.size());
  std::vector<std::string> known;  // settings of columns that some model has
  std::optional<UsageError> wrong;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const auto base = central_base(*models[i]);
    if (!base)
      continue;
    std::vector<std::string> own;
    for (const std::string& setting : settings)
      if (base->table.find(setting.substr(0, setting.find('='))) != nullptr)
        own.push_back(setting);
    known.insert(known.end(), own.begin(), own.end());
    try {
      out[i] = place_in(*models[i], own, *base);
    } catch (const UsageError& error) {
      wrong = error;
    }
  }
  for (const std::string& setting : settings)
    if (std::find(known.begin(), known.end(), setting) == known.end())
      throw UsageError("--set '" + setting + "': no model has such an input");
  if (wrong && std::none_of(out.begin(), out.end(), [](const auto& place) { return place; }))
    throw UsageError(wrong->sentence());
  return out;
}

}  // namespace perfmodel::cli
