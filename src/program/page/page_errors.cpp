#include <algorithm>
#include <cmath>

#include "base/numbering.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "page/page_content.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kMostBars = 60;
constexpr std::size_t kFewestBars = 8;
constexpr std::size_t kAllShown = 200;
constexpr double kHiddenTail = 0.005;  // share hidden at each end, if there are many errors
constexpr double kWidest = 1e12;       // percent; larger steps would exceed the precision of double

std::vector<JudgedRow> judged(const std::vector<std::uint32_t>& lines,
                              const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted) {
  std::vector<JudgedRow> rows;
  rows.reserve(lines.size());
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const double t = measured[index(row)];
    const double y = predicted[index(row)];
    rows.push_back({lines[row], row, t, y, 100 * (y - t) / t});
  }
  return rows;
}

std::vector<JudgedRow> worst_of(std::vector<JudgedRow> rows, std::size_t count) {
  const auto end = rows.begin() + index(std::min(count, rows.size()));
  std::partial_sort(rows.begin(), end, rows.end(), [](const JudgedRow& a, const JudgedRow& b) {
    const double of_a = std::abs(a.error_percent);
    const double of_b = std::abs(b.error_percent);
    return of_a != of_b ? of_a > of_b : a.line < b.line;
  });
  rows.erase(end, rows.end());
  return rows;
}

std::vector<Bar> histogram_of(const std::vector<double>& sorted, const Range& range) {
  const auto bars = std::clamp<std::size_t>(
      static_cast<std::size_t>(2 * std::sqrt(static_cast<double>(sorted.size()))), kFewestBars,
      kMostBars);
  const double step = round_step(range.high - range.low, bars);
  const auto first_from = [&](double value) { return std::ranges::lower_bound(sorted, value); };
  std::vector<Bar> out;
  for (double bar = std::floor(range.low / step); bar * step < range.high; ++bar) {
    const double low = bar * step;
    const double high = (bar + 1) * step;
    out.push_back({low, high, static_cast<std::size_t>(first_from(high) - first_from(low))});
  }
  return out;
}

void add_clouds(const std::vector<JudgedRow>& rows, const Range& error_range, Errors& errors) {
  std::vector<Point> times;
  std::vector<Point> residuals;
  std::vector<double> predictions;
  std::vector<double> all_times;
  for (const JudgedRow& row : rows) {
    if (row.predicted > 0) {
      times.push_back({row.measured, row.predicted});
      residuals.push_back({row.predicted, row.error_percent});
      predictions.push_back(row.predicted);
      all_times.push_back(row.predicted);
      all_times.push_back(row.measured);
    }
  }
  errors.not_positive = rows.size() - times.size();
  if (times.empty())
    return;
  const Range both = range_of(all_times, Spacing::logarithmic);
  errors.predicted_against_measured = cloud_of(times, both, both);
  errors.error_against_predicted =
      cloud_of(residuals, range_of(predictions, Spacing::logarithmic), error_range);
}

/// Returns the range of the sorted errors, in percent: of all of up to 200 errors, else of the
/// central 99 %, since a few huge errors would hide the rest. Contains at least -1 to 1.
Range error_range(const std::vector<double>& sorted) {
  const double tail = sorted.size() > kAllShown ? kHiddenTail : 0;
  return range_of(
      {std::max(-kWidest, std::min(-1.0, quantile(sorted, tail, QuantileRank::of_sample))),
       std::min(kWidest, std::max(1.0, quantile(sorted, 1 - tail, QuantileRank::of_sample)))},
      Spacing::linear);
}

constexpr std::size_t kFewestRuns = 3;

struct Level {
  std::size_t code = 0;
  std::vector<std::size_t> rows;
  double median_time = 0;
};

/// Returns the levels with enough runs.
std::vector<Level> levels_of(const LevelFactor& factor, const Eigen::VectorXd& times) {
  const auto rows = places_of_numbers(factor.codes, factor.levels);
  std::vector<Level> out;
  for (std::size_t code = 0; code < rows.size(); ++code)
    if (rows[code].size() >= kFewestRuns)
      out.push_back({code, rows[code], sample_median(VectorXd(times(rows[code])))});
  return out;
}

double factor_between(const std::vector<Level>& levels) {
  if (levels.size() < 2)
    return 1;
  const auto [low, high] = std::ranges::minmax_element(levels, {}, &Level::median_time);
  return high->median_time / low->median_time;
}

double mape_of(const Design& runs, const Eigen::VectorXd& predicted,
               const std::vector<std::size_t>& rows) {
  double sum = 0;
  for (const std::size_t row : rows)
    sum += std::abs(predicted[index(row)] / runs.time[index(row)] - 1);
  return 100 * sum / static_cast<double>(rows.size());
}

/// Returns the first scale that is not derived from others and has more than one value.
std::optional<std::size_t> scale_of_figures(const ModelSpec& spec) {
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    if (!spec.follows(spec.extrinsic[j].column) && spec.extrinsic[j].low < spec.extrinsic[j].high)
      return j;
  return std::nullopt;
}

RunGroup group_of_level(const FittedModel& model, const Design& runs,
                        const Eigen::VectorXd& predicted, const Level& level,
                        const CategoricalInput& input, bool with_curve,
                        const std::vector<NotAbove>& orders) {
  const Design own = take_rows(runs, level.rows);
  const Configuration central = configuration_of(own, central_row(model.spec, own));
  RunGroup group{.level = input.levels[level.code],
                 .rows = level.rows.size(),
                 .median_time = level.median_time,
                 .mape = mape_of(runs, predicted, level.rows),
                 .doublings = scale_effects_of(model, central),
                 .curve = {}};
  const auto scale = scale_of_figures(model.spec);
  if (!with_curve || !scale)
    return group;
  ScaleCurve curve = scale_curve(model, central, *scale, own, predicted(level.rows), orders);
  if (!curve.points.empty())
    group.curve = std::move(curve);
  return group;
}

}  // namespace

Errors errors_of(const std::vector<std::uint32_t>& lines, const Eigen::VectorXd& measured,
                 const Eigen::VectorXd& predicted, std::size_t worst) {
  const std::vector<JudgedRow> rows = judged(lines, measured, predicted);
  std::vector<double> sorted = mapped(rows, &JudgedRow::error_percent);
  std::ranges::sort(sorted);
  const Range range = error_range(sorted);

  Errors errors;
  add_clouds(rows, range, errors);
  errors.histogram = histogram_of(sorted, range);
  errors.beyond_histogram = sorted.size();
  for (const Bar& bar : errors.histogram)
    errors.beyond_histogram -= bar.count;
  errors.quantiles = {quantile(sorted, 0.05, QuantileRank::of_sample),
                      quantile(sorted, 0.25, QuantileRank::of_sample), sample_median(sorted),
                      quantile(sorted, 0.75, QuantileRank::of_sample),
                      quantile(sorted, 0.95, QuantileRank::of_sample)};
  errors.worst = worst_of(rows, worst);
  return errors;
}

std::optional<RunGroups> run_groups(const FittedModel& model, const Design& runs,
                                    const Eigen::VectorXd& predicted,
                                    const std::vector<NotAbove>& orders) {
  std::vector<Level> chosen;
  std::size_t column = 0;
  for (std::size_t c = 0; c < runs.categorical.size(); ++c) {
    if (model.spec.is_derived(model.spec.categorical[c].column))
      continue;
    std::vector<Level> levels = levels_of(runs.categorical[c], runs.time);
    const double factor = factor_between(levels);
    if (factor >= RunGroups::apart && factor > factor_between(chosen)) {
      chosen = std::move(levels);
      column = c;
    }
  }
  if (chosen.empty())
    return std::nullopt;
  const CategoricalInput& input = model.spec.categorical[column];
  RunGroups out{input.column, {}, 0};
  std::ranges::stable_sort(
      chosen, [](const Level& a, const Level& b) { return a.rows.size() > b.rows.size(); });
  if (chosen.size() > RunGroups::most)
    chosen.resize(RunGroups::most);
  out.left_out = input.levels.size() - chosen.size();
  for (std::size_t k = 0; k < chosen.size(); ++k)
    out.groups.push_back(group_of_level(model, runs, predicted, chosen[k], input,
                                        k < RunGroups::most_figures, orders));
  std::ranges::stable_sort(out.groups, std::greater<>(), &RunGroup::median_time);
  return out;
}

}  // namespace perfmodel::page
