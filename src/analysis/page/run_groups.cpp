#include "analysis/page/run_groups.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/page/errors.hpp"
#include "base/index.hpp"
#include "perfmodel/model/design/central_run.hpp"

namespace perfmodel::page {
namespace {

constexpr std::size_t kFewestRuns = 3;

struct Level {
  std::size_t code = 0;
  std::vector<std::size_t> rows;
  double median_time = 0;
};

/// Those with enough runs.
std::vector<Level> levels_of(const LevelFactor& factor, const Eigen::VectorXd& times) {
  std::vector<Level> all(factor.levels);
  for (std::size_t row = 0; row < factor.codes.size(); ++row)
    all[factor.codes[row]].rows.push_back(row);
  std::vector<Level> out;
  for (std::size_t code = 0; code < all.size(); ++code) {
    Level& level = all[code];
    if (level.rows.size() < kFewestRuns)
      continue;
    std::vector<double> sorted;
    for (const std::size_t row : level.rows)
      sorted.push_back(times[index(row)]);
    std::sort(sorted.begin(), sorted.end());
    out.push_back({code, std::move(level.rows), sorted_quantile(sorted, 0.5)});
  }
  return out;
}

double factor_between(const std::vector<Level>& levels) {
  if (levels.size() < 2)
    return 1;
  const auto [low, high] = std::minmax_element(
      levels.begin(), levels.end(),
      [](const Level& a, const Level& b) { return a.median_time < b.median_time; });
  return high->median_time / low->median_time;
}

double mape_of(const Design& runs, const Eigen::VectorXd& predicted,
               const std::vector<std::size_t>& rows) {
  double sum = 0;
  for (const std::size_t row : rows)
    sum += std::abs(predicted[index(row)] / runs.time[index(row)] - 1);
  return 100 * sum / static_cast<double>(rows.size());
}

/// The first scale that is not derived and takes more than one value.
std::optional<std::size_t> scale_of_figures(const ModelSpec& spec) {
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    if (!spec.is_derived(spec.extrinsic[j].column) &&
        spec.extrinsic[j].low < spec.extrinsic[j].high)
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
                 .doublings = doublings_of(model, central),
                 .curve = {}};
  const auto scale = scale_of_figures(model.spec);
  if (!with_curve || !scale)
    return group;
  std::vector<Eigen::Index> places(level.rows.begin(), level.rows.end());
  ScaleCurve curve = scale_curve(model, central, *scale, own, predicted(places), orders);
  if (!curve.points.empty())
    group.curve = std::move(curve);
  return group;
}

}  // namespace

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
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Level& a, const Level& b) { return a.rows.size() > b.rows.size(); });
  if (chosen.size() > RunGroups::most)
    chosen.resize(RunGroups::most);
  out.left_out = input.levels.size() - chosen.size();
  for (std::size_t k = 0; k < chosen.size(); ++k)
    out.groups.push_back(group_of_level(model, runs, predicted, chosen[k], input,
                                        k < RunGroups::most_figures, orders));
  std::stable_sort(out.groups.begin(), out.groups.end(), [](const RunGroup& a, const RunGroup& b) {
    return a.median_time > b.median_time;
  });
  return out;
}

}  // namespace perfmodel::page
