#include "effects/effects.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "columns/design.hpp"
#include "columns/spec.hpp"
#include "forms/form.hpp"
#include "search/sensitivity.hpp"
#include "table/cells.hpp"
#include "table/expressions.hpp"
#include "table/table.hpp"

namespace perfmodel {

std::string setting_text(double value) {
  constexpr std::size_t longest = 8;
  std::string text = to_text(value);
  return text.size() <= longest ? text : short_number(value);
}

std::optional<double> time_of(const FittedModel& model, const Configuration& configuration) {
  const double time = predict(model, design_of(configuration, model.spec))[0];
  return is_time(time) ? std::optional(time) : std::nullopt;
}

std::optional<Centre> centre_of(const FittedModel& model) {
  if (model.central)
    return Centre{model.central->configuration,
                  fmt::format("the central run (line {})", model.central->line)};
  if (model.typical)
    return Centre{*model.typical, "the median configuration"};
  return std::nullopt;
}

namespace {

constexpr std::size_t kMostFindings = 5;  // named in messages; a single one calls for a second look

bool contains(const NumericInput& input, double value) {
  return input.low <= value && value <= input.high;
}

/// Visits all numeric columns with their values.
void for_each_factor(const ModelSpec& spec, const Design& design,
                     const std::function<void(const NumericInput&, const NumericFactor&)>& visit) {
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    visit(spec.intrinsic[i], design.intrinsic[i]);
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    visit(spec.extrinsic[j], design.extrinsic[j]);
}

/// "in 3 of 20 rows"
std::string in_rows(const std::vector<bool>& rows) {
  return fmt::format(" in {} of {} rows", std::ranges::count(rows, true), rows.size());
}

/// Marks rows as out of range. Returns whether there are any.
bool mark(const std::vector<bool>& outside, RangeCheck& check) {
  bool any = false;
  for (std::size_t row = 0; row < outside.size(); ++row) {
    if (outside[row]) {
      check.in_range[row] = false;
      any = true;
    }
  }
  return any;
}

void check_columns(const FittedModel& model, const Design& design, RangeCheck& check) {
  for_each_factor(
      model.spec, design,
      [&](const NumericInput& input, const NumericFactor& factor) {
        std::vector<bool> outside(design.rows);
        bool any_above = false;
        for (std::size_t row = 0; row < design.rows; ++row) {
          outside[row] = !contains(input, factor.value(row));
          any_above = any_above || factor.value(row) > input.high;
        }
        if (!mark(outside, check))
          return;
        const std::string range =
            fmt::format("the measured range {} .. {}", to_text(input.low), to_text(input.high));
        check.findings.push_back(
            design.rows == 1
                ? fmt::format("{} = {} is outside of {}", input.column, to_text(factor.value(0)),
                              range)
                : fmt::format("column '{}' leaves {}{}", input.column, range, in_rows(outside)));
        if (any_above)
          check.findings.back() += growth_beyond(model, input);
      });
}

void check_regions(const FittedModel& model, const Design& design, RangeCheck& check) {
  std::size_t found = 0;
  for (const UnmeasuredRegion& region : model.known.unmeasured) {
    const std::vector<bool> inside = rows_in_region(region, model.spec, design);
    if (!mark(inside, check) || ++found > kMostFindings)
      continue;
    check.findings.push_back(fmt::format("nothing was measured at {}{}", to_text(region),
                                         design.rows == 1 ? "" : "," + in_rows(inside)));
  }
  if (found > kMostFindings)
    check.findings.push_back(fmt::format(
        "nothing was measured at {} further combinations of two columns", found - kMostFindings));
}

/// Columns that moved in steps with others in all runs: apart from these, nothing was measured.
void check_steps(const FittedModel& model, const Design& design, RangeCheck& check) {
  std::map<std::string, const NumericFactor*> factors;
  for_each_factor(model.spec, design, [&](const NumericInput& input, const NumericFactor& factor) {
    factors[input.column] = &factor;
  });
  std::set<std::string> done;  // a tie stands once for each of its scales
  for (const Tie& tie : model.spec.ties) {
    const bool is_known =
        factors.contains(tie.column) && std::ranges::all_of(tie.factors, [&](const Factor& factor) {
          return factors.contains(factor.column);
        });
    if (!tie.in_steps() || !is_known || !done.insert(tie.column).second)
      continue;
    std::vector<bool> apart(design.rows);
    for (std::size_t row = 0; row < design.rows; ++row)
      apart[row] = factors[tie.column]->value(row) !=
                   tie.step([&](const std::string& name) { return factors[name]->value(row); });
    if (mark(apart, check))
      check.findings.push_back(fmt::format("{} is not {}, as in all runs{}", tie.column,
                                           law_of_step(tie),
                                           design.rows == 1 ? "" : "," + in_rows(apart)));
  }
}

/// Columns that had one value in all runs: what another one does was not measured.
void check_constants(const FittedModel& model, const Table& table, RangeCheck& check) {
  for (const LeftOut& item : model.provenance.left_out) {
    const Column* const column = table.find(item.column);
    if (item.because != LeftOut::Because::constant || item.value.empty() || column == nullptr)
      continue;
    const std::optional<double> number = parse_number(item.value);
    std::vector<bool> other(table.rows());
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const std::string text = column->text(row);
      other[row] =
          !is_missing(text) && text != item.value && !(number && parse_number(text) == number);
    }
    if (mark(other, check))
      check.findings.push_back(fmt::format("'{}' is not {}, as in all runs{}", item.column,
                                           item.value,
                                           table.rows() == 1 ? "" : "," + in_rows(other)));
  }
}

}  // namespace

std::string growth_beyond(const FittedModel& model, const NumericInput& input) {
  if (const auto j = place_of_input(model.spec.extrinsic, input.column))
    if (const std::string growth = steep_growth(model, *j); !growth.empty())
      return ", beyond which " + growth;
  for (const Warning& warning : model.warnings)
    if (warning.kind == "rise" && warning.constant == "q[" + input.column + "]")
      return ", " + warning.message;
  return {};
}

RangeCheck check_range(const FittedModel& model, const Design& design) {
  RangeCheck check{std::vector<bool>(design.rows, true), {}};
  check_columns(model, design, check);
  check_steps(model, design, check);
  check_regions(model, design, check);
  return check;
}

RangeCheck check_range(const FittedModel& model, const Design& design, const Table& table) {
  RangeCheck check = check_range(model, design);
  check_constants(model, table, check);
  return check;
}

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
  if (const auto* number = std::get_if<double>(&value)) {
    for (std::size_t n = 0; n < numeric_count(spec); ++n)
      if (numeric_input(spec, n).column == column)
        return with_scale(spec, at, n, *number);
  } else if (const auto c = place_of_input(spec.categorical, column)) {
    const std::vector<std::string>& levels = spec.categorical[*c].levels;
    const auto found = std::ranges::find(levels, std::get<std::string>(value));
    moved.levels[*c] = static_cast<std::uint32_t>(found - levels.begin());
    return found == levels.end() ? std::nullopt : std::optional(moved);
  }
  return std::nullopt;
}

/// Whether both ends of an effect are within the measured ranges.
bool is_measured(const FittedModel& model, const Configuration& at, const Effect& effect) {
  const auto ends = ends_of(model, at, effect);
  const RangeCheck check = check_range(model, design_of({ends->first, ends->second}, model.spec));
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
      model.known.effects, [&](const Effect& known) { return known.column == column; });
  return found == model.known.effects.end() ? nullptr : &*found;
}

/// Stored effects are for the central run; elsewhere the ratio differs by more than this.
constexpr double kSameRatio = 1e-9;

/// Adds the effect with its ratio, and with the interval if the model stores the same effect.
void add_effect(const FittedModel& model, const Configuration& at, Effect effect,
                std::vector<Effect>& out) {
  effect.ratio = ratio_of(model, at, effect);
  effect.interval.reset();
  effect.over_runs.reset();
  effect.most_at.clear();
  if (std::isnan(effect.ratio))
    return;
  if (const Effect* known = known_effect(model, effect.column);
      known && known->from == effect.from && known->to == effect.to &&
      std::abs(known->ratio / effect.ratio - 1) < kSameRatio)
    effect = *known;
  out.push_back(std::move(effect));
}

/// Most runs over which an effect is followed, an even choice of more.
constexpr std::size_t kMostFollowed = 200;
/// Least rank correlation with an input that is named.
constexpr double kLeastCorrelation = 0.3;

/// The correlation of ranks (Spearman's); 0 if either does not vary.
double correlation_of(const Eigen::ArrayXd& a, const Eigen::ArrayXd& b) {
  const double scale = std::sqrt(a.square().sum() * b.square().sum());
  return scale > 0 ? (a * b).sum() / scale : 0;
}

/// The other input with whose values `sizes`, one per row of `runs`, grow most: "small batch_size",
/// "precision = fp32".
std::string place_of_largest(const ModelSpec& spec, const Design& runs, const std::string& column,
                             const std::vector<double>& sizes) {
  std::string out;
  double closest = kLeastCorrelation;
  const Eigen::ArrayXd ranks = mid_ranks_of(sizes);
  const auto compare = [&](const std::function<double(std::size_t)>& value, const auto& words) {
    std::vector<double> values;
    for (std::size_t row = 0; row < runs.rows; ++row)
      values.push_back(value(row));
    const double correlation = correlation_of(mid_ranks_of(values), ranks);
    const std::string place = words(correlation > 0);
    if (std::abs(correlation) > closest && !place.empty()) {
      closest = std::abs(correlation);
      out = place;
    }
  };
  for_each_factor(spec, runs, [&](const NumericInput& input, const NumericFactor& factor) {
    if (input.column != column)
      compare([&](std::size_t row) { return factor.value(row); },
              [&](bool grows) { return (grows ? "large " : "small ") + input.column; });
  });
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const CategoricalInput& input = spec.categorical[c];
    for (std::size_t level = 0; level < input.levels.size() && input.column != column; ++level)
      compare([&](std::size_t row) { return runs.categorical[c].codes[row] == level ? 1. : 0.; },
              [&](bool grows) { return grows ? input.column + " = " + input.levels[level] : ""; });
  }
  return out;
}

/// The comparison of one input that tells these runs from the others with the fewest wrong ones:
/// "batch_size <= 8", "precision = fp32"; empty if half of the fewer runs or more would be wrong.
std::string place_of_rule(const ModelSpec& spec, const Design& runs,
                          const std::vector<bool>& rules) {
  const auto ruled = to_size(std::ranges::count(rules, true));
  std::string out;
  std::size_t fewest = std::min(ruled, runs.rows - ruled) / 2;
  const auto compare = [&](std::size_t inside, std::size_t inside_ruled, const std::string& place) {
    const std::size_t wrong = inside - inside_ruled + ruled - inside_ruled;
    if (wrong < fewest) {
      fewest = wrong;
      out = place;
    }
  };
  for_each_factor(spec, runs, [&](const NumericInput& input, const NumericFactor& factor) {
    std::map<double, std::array<std::size_t, 2>> counts;  // of the value, and of them the ruled
    for (std::size_t row = 0; row < runs.rows; ++row) {
      auto& [all, of_part] = counts[factor.value(row)];
      ++all;
      of_part += rules[row] ? 1U : 0U;
    }
    std::size_t below = 0;
    std::size_t below_ruled = 0;
    for (const auto& [value, count] : counts) {
      compare(runs.rows - below, ruled - below_ruled,
              fmt::format("{} >= {}", input.column, setting_text(value)));
      below += count[0];
      below_ruled += count[1];
      compare(below, below_ruled, fmt::format("{} <= {}", input.column, setting_text(value)));
    }
  });
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    for (std::size_t level = 0; level < spec.categorical[c].levels.size(); ++level) {
      std::size_t inside = 0;
      std::size_t inside_ruled = 0;
      for (std::size_t row = 0; row < runs.rows; ++row)
        if (runs.categorical[c].codes[row] == level) {
          ++inside;
          inside_ruled += rules[row] ? 1U : 0U;
        }
      compare(inside, inside_ruled,
              spec.categorical[c].column + " = " + spec.categorical[c].levels[level]);
    }
  return out;
}

/// The runs that are followed: of many some, the same in any order of the rows.
Design followed_runs(const Design& runs) {
  std::vector<std::size_t> by_time = indices(runs.rows);
  if (runs.time.size() > 0)
    std::ranges::stable_sort(by_time, {}, [&](std::size_t row) { return runs.time[index(row)]; });
  std::vector<std::size_t> rows;
  for (const std::size_t place : evenly_chosen(runs.rows, std::min(runs.rows, kMostFollowed)))
    rows.push_back(by_time[place]);
  return take_rows(runs, rows);
}

/// Sets the band of the ratio over the runs, and where the effect is largest.
void follow(const FittedModel& model, const Design& runs, Effect& effect) {
  std::vector<Configuration> moved;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < runs.rows; ++row) {
    if (const auto ends = ends_of(model, configuration_of(runs, row), effect)) {
      moved.insert(moved.end(), {ends->first, ends->second});
      rows.push_back(row);
    }
  }
  if (rows.empty())
    return;
  const Eigen::VectorXd times = predict(model, design_of(moved, model.spec));
  std::vector<double> ratios;
  std::vector<std::size_t> followed;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double before = times[index(2 * k)];
    const double after = times[index(2 * k + 1)];
    if (is_time(before) && is_time(after)) {
      ratios.push_back(after / before);
      followed.push_back(rows[k]);
    }
  }
  if (ratios.empty())
    return;
  effect.over_runs = Interval{quantile(ratios, 0.1), quantile(ratios, 0.9)};
  if (!effect.differs())
    return;
  if (effect.over_runs->low * effect.over_runs->high < 1)
    for (double& ratio : ratios)
      ratio = 1 / ratio;
  effect.most_at = place_of_largest(model.spec, take_rows(runs, followed), effect.column, ratios);
}

}  // namespace

std::optional<std::pair<Configuration, Configuration>> ends_of(const FittedModel& model,
                                                               const Configuration& at,
                                                               const Effect& effect) {
  const auto from = moved_to(model, at, effect.column, effect.from);
  const auto to = moved_to(model, at, effect.column, effect.to);
  return from && to ? std::optional(std::pair(*from, *to)) : std::nullopt;
}

double ratio_of(const FittedModel& model, const Configuration& at, const Effect& effect) {
  const auto ends = ends_of(model, at, effect);
  const auto before = ends ? time_of(model, ends->first) : std::nullopt;
  const auto after = ends ? time_of(model, ends->second) : std::nullopt;
  return before && after ? *after / *before : std::numeric_limits<double>::quiet_NaN();
}

std::vector<Share> shares_of(const FittedModel& model, const Design& runs,
                             const Configuration& shown) {
  const std::vector<double> percents = time_shares(model, runs);
  const std::vector<double> percents_shown = time_shares(model, design_of(shown, model.spec));
  const auto is_finite = [](double percent) { return std::isfinite(percent); };
  if (percents.empty() || !std::ranges::all_of(percents, is_finite) ||
      !std::ranges::all_of(percents_shown, is_finite))
    return {};
  const Design followed = followed_runs(runs);
  std::vector<std::vector<double>> by_run(percents.size());  // percent
  std::vector<std::vector<bool>> rules(percents.size(), std::vector<bool>(followed.rows));
  for (std::size_t row = 0; row < followed.rows; ++row) {
    const std::vector<double> here = time_shares(model, take_rows(followed, std::vector{row}));
    for (std::size_t k = 0; k < here.size(); ++k)
      by_run[k].push_back(is_finite(here[k]) ? here[k] : 0);
    rules[to_size(std::ranges::max_element(here) - here.begin())][row] = true;
  }
  std::vector<Share> shares;
  std::size_t k = 0;
  for (TimePart& part : model.form->parts(model.spec, model.constants)) {
    if (part.exists) {
      const auto ruled = static_cast<double>(std::ranges::count(rules[k], true));
      std::string place = place_of_rule(model.spec, followed, rules[k]);
      if (place.empty())
        place = place_of_largest(model.spec, followed, "", by_run[k]);
      shares.push_back({part.name, part.title.empty() ? part.name : std::move(part.title),
                        std::move(part.formula), percents[k], percents_shown[k],
                        100 * ruled / static_cast<double>(followed.rows), std::move(place)});
    }
    ++k;
  }
  std::ranges::stable_sort(shares, std::greater<>(), &Share::percent_shown);
  return shares;
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
  const auto add = [&](const std::string& column, const std::function<Effect()>& effect) {
    const Effect* const known = runs ? nullptr : known_effect(model, column);
    add_effect(model, at, known ? *known : effect(), out);
  };
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    const NumericInput& input = spec.intrinsic[i];
    if (!spec.is_derived_from(input.column) && !spec.is_tied(input.column))
      add(input.column, [&] {
        return runs ? between_typical(input, runs->intrinsic[i], *runs)
                    : Effect{.column = input.column, .from = input.low, .to = input.high};
      });
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    if (const std::string& column = spec.categorical[c].column; !spec.is_derived_from(column))
      add(column,
          [&] { return between_levels(model, at, c, runs ? &runs->categorical[c] : nullptr); });
  for (std::size_t k = scales; k < out.size(); ++k)
    out[k].measured = is_measured(model, at, out[k]);
  std::ranges::stable_sort(out, [](const Effect& a, const Effect& b) {
    return std::abs(std::log(a.ratio)) > std::abs(std::log(b.ratio));
  });
  if (runs) {
    const Design followed = followed_runs(*runs);
    for (Effect& effect : out)
      follow(model, followed, effect);
  }
  return out;
}

namespace {

constexpr double kQuantileOf90 = 1.645;  // of a standard normal z, for a 90 % interval

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
  if (const auto c = place_of_input(spec.categorical, effect.column)) {
    const std::vector<std::string>& levels = spec.categorical[*c].levels;
    const auto place = [&](const InputValue& value) {
      const auto* const level = std::get_if<std::string>(&value);
      return to_size(std::ranges::find(levels, level ? *level : "") - levels.begin());
    };
    variance = least_variance(runs.categorical[*c], place(effect.from), place(effect.to));
  }
  const double width = kQuantileOf90 * scatter * std::sqrt(variance);
  return std::isfinite(width) ? width : 0;
}

Eigen::ArrayXd mid_ranks_of(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  Eigen::ArrayXd out(index(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), values[i]);
    out[index(i)] = 0.5 * static_cast<double>((first - sorted.begin()) + (last - sorted.begin()));
  }
  return out - 0.5 * static_cast<double>(values.size());
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  return correlation_of(mid_ranks_of(a), mid_ranks_of(b));
}

}  // namespace perfmodel
