#include "analysis/errors.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "base/numbering.hpp"
#include "base/random.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "columns/replicates.hpp"
#include "effects/effects.hpp"
#include "table/table.hpp"
#include "trust/cross_validation.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostValues = 10;  // more values are joined to ten groups

/// The rows of each level of an input, or of neighbouring values in ascending order.
struct RowsAlong {
  struct Group {
    std::string name;
    std::vector<std::size_t> rows;
  };
  std::string column;
  InputKind kind = InputKind::number;
  std::vector<Group> groups;
};

/// Signed errors by run, in percent of the time.
std::vector<double> percent_errors(const Design& runs, const VectorXd& predicted) {
  return mapped(
      indices(runs.rows),
      [&](std::size_t row) { return 100 * (predicted[index(row)] / runs.time[index(row)] - 1); });
}

ErrorGroup group_of(const RowsAlong::Group& group, const VectorXd& time,
                    const std::vector<double>& errors) {
  std::vector<double> percents;
  double sum = 0;
  for (const std::size_t row : group.rows) {
    percents.push_back(errors[row]);
    sum += std::abs(errors[row]);
  }
  return {.name = group.name,
          .rows = group.rows.size(),
          .median_time = sample_median(VectorXd(time(group.rows))),
          .mape = sum / static_cast<double>(group.rows.size()),
          .lower = quantile(percents, 0.25, QuantileRank::of_sample),
          .middle = sample_median(percents),
          .upper = quantile(percents, 0.75, QuantileRank::of_sample)};
}

/// Row indices sorted by value, ascending.
std::vector<std::size_t> rows_by_value(const NumericFactor& factor, std::size_t count) {
  std::vector<std::size_t> rows = indices(count);
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
    return factor.coded() ? factor.codes[a] < factor.codes[b] : factor.values[a] < factor.values[b];
  });
  return rows;
}

std::vector<RowsAlong::Group> groups_of_levels(const CategoricalInput& input,
                                               const LevelFactor& factor) {
  const auto rows = places_of_numbers(factor.codes, input.levels.size());
  std::vector<RowsAlong::Group> out;
  for (std::size_t level = 0; level < rows.size(); ++level)
    if (!rows[level].empty())
      out.push_back({input.levels[level], rows[level]});
  return out;
}

/// A group per value if there are few, else groups of about equally many rows.
std::vector<RowsAlong::Group> groups_of_values(const NumericFactor& factor, std::size_t count) {
  const std::vector<std::size_t> sorted = rows_by_value(factor, count);
  const auto value = [&](std::size_t place) { return factor.value(sorted[place]); };
  std::size_t distinct = 1;
  for (std::size_t place = 1; place < count; ++place)
    distinct += value(place) != value(place - 1) ? 1U : 0U;
  const std::size_t size = distinct <= kMostValues ? 1 : count / kMostValues + 1;
  std::vector<RowsAlong::Group> out;
  std::size_t first = 0;
  for (std::size_t next = 1; next <= count; ++next) {
    const bool ends = next == count || (value(next) != value(next - 1) && next - first >= size);
    if (!ends)
      continue;
    const std::string low = setting_text(value(first));
    const std::string high = setting_text(value(next - 1));
    out.push_back({low == high ? high : fmt::format("{} .. {}", low, high),
                   {sorted.begin() + index(first), sorted.begin() + index(next)}});
    first = next;
  }
  return out;
}

/// One entry per input with more than one value.
std::vector<RowsAlong> rows_along(const ModelSpec& spec, const Design& runs) {
  using enum InputKind;
  std::vector<RowsAlong> out;
  const auto add = [&](const std::string& column, InputKind kind,
                       std::vector<RowsAlong::Group> groups) {
    if (groups.size() > 1)
      out.push_back({column, kind, std::move(groups)});
  };
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    add(spec.categorical[c].column, levels,
        groups_of_levels(spec.categorical[c], runs.categorical[c]));
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    add(spec.extrinsic[j].column, scale, groups_of_values(runs.extrinsic[j], runs.rows));
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    add(spec.intrinsic[i].column, number, groups_of_values(runs.intrinsic[i], runs.rows));
  return out;
}

constexpr double kClearlyLarger = 1.5;
constexpr double kMostChance = 0.01;
constexpr std::size_t kFewest = 5;  // configurations in a group, and outside of it

/// Errors and their ranks.
struct RankedErrors {
  RowGroups configurations;
  std::vector<double> percents;  ///< per row
  ArrayXd ranks;                 ///< per configuration, of its mean error, see mid_ranks_of()
};

RankedErrors ranked_errors(const Design& runs, std::vector<double> percents) {
  RankedErrors out{configuration_groups(runs), std::move(percents), {}};
  const auto mean_of = [&](const std::vector<std::size_t>& rows) {
    double sum = 0;
    for (const std::size_t row : rows)
      sum += out.percents[row];
    return sum / static_cast<double>(rows.size());
  };
  out.ranks = mid_ranks_of(mapped(out.configurations.rows(), mean_of));
  return out;
}

/// How far the ranks of a group of configurations are above those of the others, in standard
/// deviations (Mann-Whitney test, normal approximation). 0 if there are too few.
double rank_score(const std::vector<std::size_t>& rows, const RankedErrors& errors) {
  const std::size_t all = errors.configurations.count;
  std::vector<bool> counted(all, false);
  double sum = 0;
  std::size_t count = 0;
  for (const std::size_t row : rows) {
    const std::size_t configuration = errors.configurations.of_row[row];
    if (counted[configuration])
      continue;
    counted[configuration] = true;
    sum += errors.ranks[index(configuration)];
    ++count;
  }
  if (count < kFewest || all - count < kFewest)
    return 0;
  const auto n = static_cast<double>(count);
  const auto m = static_cast<double>(all - count);
  const double deviation = std::sqrt(n * m * (n + m + 1) / 12);
  return sum / deviation;
}

WorstGroup compared(const std::string& column, const RowsAlong::Group& group,
                    const std::vector<double>& percents) {
  const double all = std::accumulate(percents.begin(), percents.end(), 0.0);
  double inside = 0;
  for (const std::size_t row : group.rows)
    inside += percents[row];
  const auto count = static_cast<double>(group.rows.size());
  return {column, group.name, inside / count,
          (all - inside) / (static_cast<double>(percents.size()) - count)};
}

constexpr std::size_t kFewestConfigurations = 10;
/// More draws hardly change the percentiles; with many rows, fewer suffice.
constexpr std::size_t kMostDriftDraws = 1000;
constexpr std::size_t kFewestDraws = 200;
constexpr std::size_t kRowsOfDraws = 20'000'000;
/// Most configurations of a draw: the spread of figures falls with the root of their number.
constexpr std::size_t kMostDrawn = 2000;
constexpr std::uint64_t kDriftSeed = 1;

double relative_change(double now, double before) {
  if (before == 0)
    return now == 0 ? 0 : std::numeric_limits<double>::infinity();
  return 100 * (now - before) / before;
}

using Rows = std::vector<std::size_t>;

Rows drawn_rows(const std::vector<Rows>& configurations, RandomStream& random) {
  Rows out;
  for (std::size_t k = 0; k < std::min(configurations.size(), kMostDrawn); ++k) {
    const Rows& rows = configurations[random.below(configurations.size())];
    out.insert(out.end(), rows.begin(), rows.end());
  }
  return out;
}

using NamedFigures = std::vector<std::pair<std::string, double>>;

/// Figures of all rows, with percentile intervals from resampled configurations; of many, from some
/// per draw, as narrow as draws of all would be (Bickel, Goetze and van Zwet 1997).
std::vector<DriftFigure> with_intervals(const Design& runs,
                                        const std::function<NamedFigures(const Rows&)>& figures_of,
                                        std::size_t fewest = kFewestConfigurations) {
  std::vector<DriftFigure> out = mapped(figures_of(indices(runs.rows)), [](const auto& figure) {
    return DriftFigure{figure.first, figure.second, {}};
  });
  const std::vector<Rows> configurations = configuration_groups(runs).rows();
  if (configurations.size() < fewest)
    return out;
  const double share =
      std::min(1.0, static_cast<double>(kMostDrawn) / static_cast<double>(configurations.size()));
  const auto rows_of_draw = to_size(std::llround(share * static_cast<double>(runs.rows)));
  const std::size_t draws = std::clamp(kRowsOfDraws / std::max<std::size_t>(rows_of_draw, 1),
                                       kFewestDraws, kMostDriftDraws);
  std::vector<std::vector<double>> drawn(out.size());
  RandomStream random(kDriftSeed, "drift");
  for (std::size_t d = 0; d < draws; ++d) {
    const NamedFigures figures = figures_of(drawn_rows(configurations, random));
    for (std::size_t k = 0; k < figures.size(); ++k)
      drawn[k].push_back(figures[k].second);
  }
  const double tail = 0.5 * (1 - kDriftConfidence);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const auto is_finite = [](double value) { return std::isfinite(value); };
    if (!std::ranges::all_of(drawn[k], is_finite))
      continue;
    const auto end = [&](double q) {
      const double drawn_end = quantile(drawn[k], q);
      return share < 1 ? out[k].value + std::sqrt(share) * (drawn_end - out[k].value) : drawn_end;
    };
    out[k].interval = Interval{end(tail), end(1 - tail)};
  }
  return out;
}

}  // namespace

std::vector<ErrorsAlong> errors_along(const ModelSpec& spec, const Design& runs,
                                      const VectorXd& predicted) {
  const std::vector<double> errors = percent_errors(runs, predicted);
  std::vector<ErrorsAlong> out;
  for (const RowsAlong& along : rows_along(spec, runs)) {
    ErrorsAlong& added = out.emplace_back(ErrorsAlong{along.column, along.kind, {}});
    for (const RowsAlong::Group& group : along.groups)
      added.groups.push_back(group_of(group, runs.time, errors));
    if (along.kind == InputKind::levels)
      std::ranges::stable_sort(added.groups, std::greater<>(), &ErrorGroup::mape);
  }
  return out;
}

std::optional<WorstGroup> worst_group(const ModelSpec& spec, const Design& runs,
                                      const VectorXd& predicted) {
  std::vector<double> percents = percent_errors(runs, predicted);
  std::ranges::transform(percents, percents.begin(), [](double error) { return std::abs(error); });
  const RankedErrors errors = ranked_errors(runs, std::move(percents));
  std::size_t looked_at = 0;
  double least_chance = 1;
  std::optional<WorstGroup> worst;
  for (const RowsAlong& along : rows_along(spec, runs)) {
    const bool has_ends = along.kind != InputKind::levels;
    for (std::size_t g = 0; g < along.groups.size(); ++g) {
      if (has_ends && g > 0 && g + 1 < along.groups.size())
        continue;
      ++looked_at;
      const double chance = normal_cdf(-rank_score(along.groups[g].rows, errors));
      if (chance >= least_chance)
        continue;
      const WorstGroup group = compared(along.column, along.groups[g], errors.percents);
      if (group.mape < kClearlyLarger * group.mape_of_the_rest)
        continue;
      least_chance = chance;
      worst = group;
    }
  }
  return least_chance * static_cast<double>(looked_at) <= kMostChance ? worst : std::nullopt;
}

std::vector<std::pair<std::string, double>> drift(const Metrics& now, const Metrics& before,
                                                  const VectorXd& predicted_now,
                                                  const VectorXd& predicted_before) {
  const ArrayXd old = predicted_before.array();
  return {{"mae_drift", relative_change(now.mae, before.mae)},
          {"mape_drift", now.mape_percent - before.mape_percent},
          {"smape_drift", now.smape_percent - before.smape_percent},
          {"mse_drift", relative_change(now.mse, before.mse)},
          {"rmse_drift", relative_change(now.rmse, before.rmse)},
          {"r2_drift", now.r2 - before.r2},
          {"prediction_drift", 100 * ((predicted_now.array() - old).abs() / old).mean()}};
}

std::vector<DriftFigure> drift_with_intervals(const Design& runs, const VectorXd& predicted_now,
                                              const VectorXd& predicted_before) {
  return with_intervals(
      runs,
      [&](const Rows& rows) {
        const VectorXd time = runs.time(rows);
        const VectorXd now = predicted_now(rows);
        const VectorXd before = predicted_before(rows);
        return drift(compute_metrics(time, now), compute_metrics(time, before), now, before);
      });
}

double bias_percent(const VectorXd& measured, const VectorXd& predicted) {
  return 100 * (median(measured.cwiseQuotient(predicted)) - 1);
}

namespace {

DriftFigure bias_of(const Design& runs, const VectorXd& predicted, std::size_t fewest) {
  return with_intervals(
             runs,
             [&](const Rows& rows) {
               return NamedFigures{{"bias", bias_percent(runs.time(rows), predicted(rows))}};
             },
             fewest)
      .front();
}

/// The level that differs most certainly from the others, and its rows; nullopt if none does.
std::optional<std::pair<LevelBias, std::vector<std::size_t>>> most_biased(
    const ModelSpec& spec, const Design& runs, const VectorXd& predicted) {
  const RankedErrors errors = ranked_errors(runs, percent_errors(runs, predicted));
  std::optional<std::pair<LevelBias, std::vector<std::size_t>>> out;
  double most = 0;
  std::size_t looked_at = 0;
  for (const RowsAlong& along : rows_along(spec, runs)) {
    if (along.kind != InputKind::levels)
      continue;
    looked_at += along.groups.size() == 2 ? 1 : along.groups.size();
    for (const RowsAlong::Group& group : along.groups) {
      const double score = std::abs(rank_score(group.rows, errors));
      // Of two levels that differ from each other alike, the one that is predicted worse.
      const double bias = bias_percent(runs.time(group.rows), predicted(group.rows));
      constexpr double alike = 1e-9;
      if (score == 0 || score < most - alike ||
          (out && score <= most + alike && std::abs(bias) <= std::abs(out->first.bias.value)))
        continue;
      most = std::max(score, most);
      out = {{along.column, group.name, {"bias", bias, {}}}, group.rows};
    }
  }
  return out && 2 * normal_cdf(-most) * static_cast<double>(looked_at) <= kMostChance
             ? out
             : std::nullopt;
}

}  // namespace

Biases biases_of(const ModelSpec& spec, const Design& runs, const VectorXd& predicted) {
  Biases out{bias_of(runs, predicted, kFewestConfigurations)};
  Design rest = runs;
  VectorXd predictions = predicted;
  while (const auto found = most_biased(spec, rest, predictions)) {
    LevelBias& level = out.levels.emplace_back(found->first);
    const std::vector<std::size_t>& rows = found->second;
    const Design own = take_rows(rest, rows);
    const VectorXd of_own = predictions(rows);
    level.bias = bias_of(own, of_own, kFewest);
    level.mape = compute_metrics(own.time, of_own).mape_percent;
    const std::vector<std::size_t> kept = other_rows(rest.rows, rows);
    predictions = VectorXd(predictions(kept));
    rest = take_rows(rest, kept);
  }
  if (!out.levels.empty())
    out.others = bias_of(rest, predictions, kFewest);
  return out;
}

bool is_drift(const DriftFigure& bias, double mape_percent) {
  return bias.interval && bias.interval->low * bias.interval->high > 0 &&
         std::abs(bias.value) > mape_percent / 2;
}

std::vector<std::string> drift_names() {
  const VectorXd one = VectorXd::Ones(1);
  return mapped(drift({}, {}, one, one), &std::pair<std::string, double>::first);
}

}  // namespace perfmodel
