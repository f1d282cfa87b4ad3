#include "analysis/effects.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "analysis/scaling.hpp"
#include "table/design.hpp"

namespace perfmodel {
namespace {

/// x / 2 is a value that the column can have, as far as x tells.
bool can_be_halved(double x) {
  return x != std::round(x) || std::fmod(x, 2) == 0;
}

/// The time with another value of an input; nothing where the input cannot have it or the model
/// gives no time.
std::optional<double> time_with(const FittedModel& model, const Configuration& at,
                                const std::string& column, const InputValue& value) {
  const ModelSpec& spec = model.spec;
  Configuration moved = at;
  const auto* number = std::get_if<double>(&value);
  for (std::size_t j = 0; number && j < spec.extrinsic.size(); ++j)
    if (spec.extrinsic[j].column == column)
      return MovedConfiguration(model, at, j).time_at(*number);
  for (std::size_t i = 0; number && i < spec.intrinsic.size(); ++i) {
    if (spec.intrinsic[i].column == column) {
      moved.intrinsic[i] = *number;
      return time_of(model, moved);
    }
  }
  const auto* level = std::get_if<std::string>(&value);
  for (std::size_t c = 0; level && c < spec.categorical.size(); ++c) {
    const std::vector<std::string>& levels = spec.categorical[c].levels;
    const auto found = std::find(levels.begin(), levels.end(), *level);
    if (spec.categorical[c].column == column && found != levels.end()) {
      moved.levels[c] = static_cast<std::uint32_t>(found - levels.begin());
      return time_of(model, moved);
    }
  }
  return std::nullopt;
}

/// Without its ratio.
Effect doubled(const NumericInput& input, double here) {
  const bool ends_here = 2 * here > input.high && here / 2 >= input.low && can_be_halved(here);
  const double from = ends_here ? here / 2 : here;
  Effect out{.column = input.column, .from = from, .to = 2 * from};
  out.measured = input.low <= from && 2 * from <= input.high;
  return out;
}

Effect between_typical(const NumericInput& input, const NumericFactor& factor, std::size_t rows) {
  std::vector<double> values;
  for (std::size_t row = 0; row < rows; ++row)
    values.push_back(factor.value(row));
  std::sort(values.begin(), values.end());
  const std::size_t tenth = rows / 10;
  const bool differ = values[tenth] < values[rows - 1 - tenth];
  return {.column = input.column,
          .from = differ ? values[tenth] : values.front(),
          .to = differ ? values[rows - 1 - tenth] : values.back()};
}

/// `runs`: whose levels count; null: all do.
Effect between_levels(const FittedModel& model, const Configuration& at,
                      const CategoricalInput& input, const LevelFactor* runs) {
  Effect out{.column = input.column, .from = input.levels.front(), .to = input.levels.front()};
  double shortest = std::numeric_limits<double>::infinity();
  double longest = 0;
  for (std::size_t level = 0; level < input.levels.size(); ++level) {
    if (runs && std::find(runs->codes.begin(), runs->codes.end(), level) == runs->codes.end())
      continue;
    const auto time = time_with(model, at, input.column, input.levels[level]);
    if (time && *time < shortest) {
      shortest = *time;
      out.from = input.levels[level];
    }
    if (time && *time >= longest) {
      longest = *time;
      out.to = input.levels[level];
    }
  }
  return out;
}

/// As the model has it, with its values as it has them.
const Effect* known_effect(const FittedModel& model, const std::string& column) {
  const auto found = std::find_if(model.effects.begin(), model.effects.end(),
                                  [&](const Effect& known) { return known.column == column; });
  return found == model.effects.end() ? nullptr : &*found;
}

/// An effect is of the central run: at another one the ratio differs.
constexpr double kSameRatio = 1e-9;

/// With its ratio, and with the interval where the model knows it.
void add_effect(const FittedModel& model, const Configuration& at, Effect effect,
                std::vector<Effect>& out) {
  effect.ratio = ratio_of(model, at, effect);
  effect.interval.reset();
  if (std::isnan(effect.ratio))
    return;
  if (const Effect* known = known_effect(model, effect.column);
      known && known->from == effect.from && known->to == effect.to &&
      std::abs(known->ratio / effect.ratio - 1) < kSameRatio)
    effect.interval = known->interval;
  out.push_back(std::move(effect));
}

}  // namespace

double ratio_of(const FittedModel& model, const Configuration& at, const Effect& effect) {
  const auto before = time_with(model, at, effect.column, effect.from);
  const auto after = time_with(model, at, effect.column, effect.to);
  return before && after ? *after / *before : std::numeric_limits<double>::quiet_NaN();
}

std::vector<Effect> scale_effects_of(const FittedModel& model, const Configuration& at) {
  std::vector<Effect> out;
  for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j)
    if (const NumericInput& input = model.spec.extrinsic[j]; !model.spec.is_derived(input.column))
      add_effect(model, at, doubled(input, at.extrinsic[j]), out);
  return out;
}

std::vector<Effect> effects_of(const FittedModel& model, const Configuration& at,
                               const Design* runs) {
  const ModelSpec& spec = model.spec;
  std::vector<Effect> out = scale_effects_of(model, at);
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    const NumericInput& input = spec.intrinsic[i];
    if (spec.is_derived_from(input.column) || spec.is_tied(input.column))
      continue;
    const Effect* known = known_effect(model, input.column);
    add_effect(model, at,
               runs    ? between_typical(input, runs->intrinsic[i], runs->rows)
               : known ? *known
                       : Effect{.column = input.column, .from = input.low, .to = input.high},
               out);
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const CategoricalInput& input = spec.categorical[c];
    if (spec.is_derived_from(input.column))
      continue;
    const Effect* known = known_effect(model, input.column);
    add_effect(model, at,
               !runs && known
                   ? *known
                   : between_levels(model, at, input, runs ? &runs->categorical[c] : nullptr),
               out);
  }
  std::stable_sort(out.begin(), out.end(), [](const Effect& a, const Effect& b) {
    return std::abs(std::log(a.ratio)) > std::abs(std::log(b.ratio));
  });
  return out;
}

}  // namespace perfmodel
