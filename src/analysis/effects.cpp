#include "analysis/effects.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "analysis/scaling.hpp"
#include "base/text.hpp"
#include "columns/design.hpp"
#include "table/expressions.hpp"

namespace perfmodel {
namespace {

/// Whether x / 2 can be a value of the column, judged by x alone.
bool can_be_halved(double x) {
  return x != std::round(x) || std::fmod(x, 2) == 0;
}

/// The configuration with another value of an input; nullopt if that is not possible.
std::optional<Configuration> moved_to(const FittedModel& model, const Configuration& at,
                                      const std::string& column, const InputValue& value) {
  const ModelSpec& spec = model.spec;
  Configuration moved = at;
  const auto* number = std::get_if<double>(&value);
  for (std::size_t j = 0; number && j < spec.extrinsic.size(); ++j)
    if (spec.extrinsic[j].column == column)
      return MovedConfiguration(model, at, j).at(*number);
  for (std::size_t i = 0; number && i < spec.intrinsic.size(); ++i) {
    if (spec.intrinsic[i].column == column) {
      moved.intrinsic[i] = *number;
      return moved;
    }
  }
  const auto* level = std::get_if<std::string>(&value);
  for (std::size_t c = 0; level && c < spec.categorical.size(); ++c) {
    const std::vector<std::string>& levels = spec.categorical[c].levels;
    const auto found = std::ranges::find(levels, *level);
    if (spec.categorical[c].column == column && found != levels.end()) {
      moved.levels[c] = static_cast<std::uint32_t>(found - levels.begin());
      return moved;
    }
  }
  return std::nullopt;
}

/// Whether both ends of an effect are within the measured ranges.
bool is_measured(const FittedModel& model, const Configuration& at, const Effect& effect) {
  const auto from = moved_to(model, at, effect.column, effect.from);
  const auto to = moved_to(model, at, effect.column, effect.to);
  const RangeCheck check = check_range(model, design_of({*from, *to}, model.spec));
  return check.in_range[0] && check.in_range[1];
}

/// The effect of doubling a scale, without its ratio.
Effect doubled(const NumericInput& input, double here) {
  const bool ends_here = 2 * here > input.high && here / 2 >= input.low && can_be_halved(here);
  const double from = ends_here ? here / 2 : here;
  Effect out{.column = input.column, .from = from, .to = 2 * from};
  out.measured = input.low <= from && 2 * from <= input.high;
  return out;
}

/// The effect of going from the lowest to the highest tenth of the runs, without its ratio.
Effect between_typical(const NumericInput& input, const NumericFactor& factor, const Design& runs) {
  std::vector<double> values;
  for (std::size_t row = 0; row < runs.rows; ++row)
    values.push_back(factor.value(row));
  std::ranges::sort(values);
  const double low = values[runs.rows / 10];
  const double high = values[runs.rows - 1 - runs.rows / 10];
  return {.column = input.column,
          .from = low < high ? low : values.front(),
          .to = low < high ? high : values.back()};
}

/// The effect from the fastest to the slowest level. `runs`: whose levels count; null: all levels.
Effect between_levels(const FittedModel& model, const Configuration& at, std::size_t categorical,
                      const LevelFactor* runs) {
  const CategoricalInput& input = model.spec.categorical[categorical];
  std::vector<bool> counts(input.levels.size(), runs == nullptr);
  for (std::size_t row = 0; runs && row < runs->codes.size(); ++row)
    counts[runs->codes[row]] = true;
  std::vector<Configuration> moved(input.levels.size(), at);
  for (std::size_t level = 0; level < moved.size(); ++level)
    moved[level].levels[categorical] = static_cast<std::uint32_t>(level);
  const Eigen::VectorXd times = predict(model, design_of(moved, model.spec));
  std::optional<std::size_t> fastest;
  std::optional<std::size_t> slowest;
  for (std::size_t level = 0; level < moved.size(); ++level) {
    if (!counts[level] || !is_time(times[index(level)]))
      continue;
    if (!fastest || times[index(level)] < times[index(*fastest)])
      fastest = level;
    if (!slowest || times[index(level)] >= times[index(*slowest)])
      slowest = level;
  }
  return {.column = input.column,
          .from = input.levels[fastest.value_or(0)],
          .to = input.levels[slowest.value_or(0)]};
}

/// The effect of this column that the model stores; null if there is none.
const Effect* known_effect(const FittedModel& model, const std::string& column) {
  const auto found = std::ranges::find_if(
      model.effects, [&](const Effect& known) { return known.column == column; });
  return found == model.effects.end() ? nullptr : &*found;
}

/// Stored effects are for the central run; elsewhere the ratio differs by more than this.
constexpr double kSameRatio = 1e-9;

/// Adds the effect with its ratio, and with the interval if the model stores the same effect.
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
  const auto from = moved_to(model, at, effect.column, effect.from);
  const auto to = moved_to(model, at, effect.column, effect.to);
  const auto before = from ? time_of(model, *from) : std::nullopt;
  const auto after = to ? time_of(model, *to) : std::nullopt;
  return before && after ? *after / *before : std::numeric_limits<double>::quiet_NaN();
}

std::vector<Effect> scale_effects_of(const FittedModel& model, const Configuration& at) {
  std::vector<Effect> out;
  for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j)
    if (const NumericInput& input = model.spec.extrinsic[j]; !model.spec.follows(input.column))
      add_effect(model, at, doubled(input, at.extrinsic[j]), out);
  return out;
}

std::vector<Effect> effects_of(const FittedModel& model, const Configuration& at,
                               const Design* runs) {
  const ModelSpec& spec = model.spec;
  std::vector<Effect> out = scale_effects_of(model, at);
  const std::size_t scales = out.size();
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    const NumericInput& input = spec.intrinsic[i];
    if (spec.is_derived_from(input.column) || spec.is_tied(input.column))
      continue;
    const Effect* known = known_effect(model, input.column);
    add_effect(model, at,
               runs    ? between_typical(input, runs->intrinsic[i], *runs)
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
                   : between_levels(model, at, c, runs ? &runs->categorical[c] : nullptr),
               out);
  }
  for (std::size_t k = scales; k < out.size(); ++k)
    out[k].measured = is_measured(model, at, out[k]);
  std::ranges::stable_sort(out, [](const Effect& a, const Effect& b) {
    return std::abs(std::log(a.ratio)) > std::abs(std::log(b.ratio));
  });
  return out;
}

namespace {

constexpr double kNormalQuantile = 1.645;  // of a 90 % interval

/// The variance of ln(ratio) in units of that of ln(time).
double least_variance(const NumericFactor& factor, std::size_t rows, double log_ratio) {
  Eigen::ArrayXd logs(index(rows));
  for (std::size_t row = 0; row < rows; ++row)
    logs[index(row)] = std::log(factor.value(row));
  const double spread = (logs - logs.mean()).square().sum();
  return spread > 0 ? log_ratio * log_ratio / spread : 0;
}

double least_variance(const LevelFactor& factor, std::size_t from, std::size_t to) {
  const auto inverse = [&](std::size_t level) {
    return 1 / static_cast<double>(std::ranges::count(factor.codes, level));
  };
  return inverse(from) + inverse(to);
}

}  // namespace

double least_half_width(const Effect& effect, const ModelSpec& spec, const Design& runs,
                        double scatter) {
  double variance = 0;
  const auto* const from = std::get_if<double>(&effect.from);
  const auto* const to = std::get_if<double>(&effect.to);
  const double log_ratio = from && to && *from > 0 ? std::log(*to / *from) : 0;
  for (std::size_t n = 0; log_ratio != 0 && n < numeric_count(spec); ++n)
    if (numeric_input(spec, n).column == effect.column)
      variance = least_variance(numeric_factor(runs, n), runs.rows, log_ratio);
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const CategoricalInput& input = spec.categorical[c];
    const auto place = [&](const InputValue& value) {
      const auto* const level = std::get_if<std::string>(&value);
      return to_size(std::ranges::find(input.levels, level ? *level : "") - input.levels.begin());
    };
    if (input.column == effect.column)
      variance = least_variance(runs.categorical[c], place(effect.from), place(effect.to));
  }
  const double width = kNormalQuantile * scatter * std::sqrt(variance);
  return std::isfinite(width) ? width : 0;
}

}  // namespace perfmodel
