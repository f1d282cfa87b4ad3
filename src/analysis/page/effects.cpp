#include "analysis/page/effects.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/central/moved_configuration.hpp"

namespace perfmodel::page {
namespace {

struct TimedSetting {
  std::string setting;
  std::optional<double> time;
};

/// Nothing where a setting has no time.
std::optional<Effect> effect_between(const std::string& column,
                                     const std::vector<TimedSetting>& settings) {
  if (!std::all_of(settings.begin(), settings.end(),
                   [](const TimedSetting& each) { return each.time.has_value(); }))
    return std::nullopt;
  const auto [fast, slow] = std::minmax_element(
      settings.begin(), settings.end(),
      [](const TimedSetting& a, const TimedSetting& b) { return *a.time < *b.time; });
  return Effect{column, fast->setting, slow->setting, *fast->time, *slow->time};
}

/// With `time_at(value)` of both ends.
template <class TimeAt>
std::optional<Effect> effect_of_range(const NumericInput& input, const TimeAt& time_at) {
  return effect_between(input.column, {{setting_text(input.low), time_at(input.low)},
                                       {setting_text(input.high), time_at(input.high)}});
}

}  // namespace

std::vector<Effect> effects_of(const FittedModel& model, const Configuration& typical) {
  const ModelSpec& spec = model.spec;
  std::vector<Effect> effects;
  const auto add = [&](std::optional<Effect> effect) {
    if (effect)
      effects.push_back(*std::move(effect));
  };
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    if (!spec.is_derived_from(spec.intrinsic[i].column) &&
        !spec.is_tied(spec.intrinsic[i].column)) {
      add(effect_of_range(
          spec.intrinsic[i],
          [&](double value) {
            Configuration moved = typical;
            moved.intrinsic[i] = value;
            return time_of(model, moved);
          }));
    }
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const CategoricalInput& input = spec.categorical[c];
    if (spec.is_derived_from(input.column))
      continue;
    std::vector<TimedSetting> settings;
    for (std::size_t l = 0; l < input.levels.size(); ++l) {
      Configuration moved = typical;
      moved.levels[c] = static_cast<std::uint32_t>(l);
      settings.push_back({input.levels[l], time_of(model, moved)});
    }
    add(effect_between(input.column, settings));
  }
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    const MovedConfiguration moved(model, typical, j);
    add(effect_of_range(spec.extrinsic[j], [&](double value) { return moved.time_at(value); }));
  }
  std::stable_sort(effects.begin(), effects.end(),
                   [](const Effect& a, const Effect& b) { return a.ratio() > b.ratio(); });
  return effects;
}

}  // namespace perfmodel::page
