#include "cli/sets/set_places.hpp"

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

std::optional<Configuration> SetPlaces::of(const FittedModel& model) {
  const auto base = central_base(model);
  if (!base)
    return std::nullopt;
  std::vector<std::string> own;
  for (const std::string& setting : settings_)
    if (base->table.find(setting.substr(0, setting.find('='))) != nullptr)
      own.push_back(setting);
  known_.insert(own.begin(), own.end());
  try {
    auto out = place_in(model, own, *base);
    any_ = true;
    return out;
  } catch (const UsageError& error) {
    wrong_ = error;
    return std::nullopt;
  }
}

void SetPlaces::check() const {
  for (const std::string& setting : settings_)
    if (!known_.contains(setting))
      throw UsageError("--set '" + setting + "': no model has such an input");
  if (wrong_ && !any_)
    throw UsageError(wrong_->sentence());
}

}  // namespace perfmodel::cli
