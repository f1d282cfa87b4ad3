#include "analysis/drift.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "data/median.hpp"
#include "data/quantile.hpp"
#include "model/design/row_groups.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t kFewestConfigurations = 10;
/// Percentiles of the ends move little beyond; of many rows fewer do.
constexpr std::size_t kMostDriftDraws = 1000;
constexpr std::size_t kFewestDraws = 200;
constexpr std::size_t kRowsOfDraws = 20'000'000;
constexpr std::uint64_t kDriftSeed = 1;

double relative_change(double now, double before) {
  if (before == 0)
    return now == 0 ? 0 : std::numeric_limits<double>::infinity();
  return 100 * (now - before) / before;
}

}  // namespace

std::vector<std::pair<std::string, double>> drift(const Metrics& now, const Metrics& before,
                                                  const Eigen::VectorXd& predicted_now,
                                                  const Eigen::VectorXd& predicted_before) {
  const Eigen::ArrayXd old = predicted_before.array();
  return {{"mae_drift", relative_change(now.mae, before.mae)},
          {"mape_drift", now.mape_percent - before.mape_percent},
          {"smape_drift", now.smape_percent - before.smape_percent},
          {"mse_drift", relative_change(now.mse, before.mse)},
          {"rmse_drift", relative_change(now.rmse, before.rmse)},
          {"r2_drift", now.r2 - before.r2},
          {"prediction_drift", 100 * ((predicted_now.array() - old).abs() / old).mean()}};
}

namespace {

std::vector<std::vector<Index>> rows_of_configurations(const Design& runs) {
  const RowGroups groups = configuration_groups(runs);
  std::vector<std::vector<Index>> out(groups.count);
  for (std::size_t row = 0; row < groups.of_row.size(); ++row)
    out[groups.of_row[row]].push_back(static_cast<Index>(row));
  return out;
}

std::vector<Index> drawn_rows(const std::vector<std::vector<Index>>& configurations,
                              RandomStream& random) {
  std::vector<Index> out;
  for (std::size_t k = 0; k < configurations.size(); ++k) {
    const std::vector<Index>& rows = configurations[random.below(configurations.size())];
    out.insert(out.end(), rows.begin(), rows.end());
  }
  return out;
}

using NamedFigures = std::vector<std::pair<std::string, double>>;

/// Figures of all rows, each with the percentiles of what it is for drawn configurations.
std::vector<DriftFigure> with_intervals(
    const Design& runs, const std::function<NamedFigures(const std::vector<Index>&)>& figures_of) {
  std::vector<Index> all(runs.rows);
  std::iota(all.begin(), all.end(), Index{0});
  std::vector<DriftFigure> out;
  for (const auto& [name, value] : figures_of(all))
    out.push_back({name, value, {}});
  const auto configurations = rows_of_configurations(runs);
  if (configurations.size() < kFewestConfigurations)
    return out;
  const std::size_t draws =
      std::clamp(kRowsOfDraws / std::max<std::size_t>(runs.rows, 1), kFewestDraws, kMostDriftDraws);
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
    if (!std::all_of(drawn[k].begin(), drawn[k].end(), is_finite))
      continue;
    std::sort(drawn[k].begin(), drawn[k].end());
    out[k].interval = Interval{quantile(drawn[k], tail), quantile(drawn[k], 1 - tail)};
  }
  return out;
}

}  // namespace

std::vector<DriftFigure> drift_with_intervals(const Design& runs, const VectorXd& predicted_now,
                                              const VectorXd& predicted_before) {
  return with_intervals(
      runs,
      [&](const std::vector<Index>& rows) {
        const VectorXd time = runs.time(rows);
        const VectorXd now = predicted_now(rows);
        const VectorXd before = predicted_before(rows);
        return drift(compute_metrics(time, now), compute_metrics(time, before), now, before);
      });
}

double bias_percent(const VectorXd& measured, const VectorXd& predicted) {
  return 100 * (median(measured.cwiseQuotient(predicted)) - 1);
}

DriftFigure bias_with_interval(const Design& runs, const VectorXd& predicted) {
  return with_intervals(
             runs,
             [&](const std::vector<Index>& rows) {
               return NamedFigures{{"bias", bias_percent(runs.time(rows), predicted(rows))}};
             })
      .front();
}

std::vector<std::string> drift_names() {
  std::vector<std::string> names;
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(1);
  for (const auto& [name, value] : drift({}, {}, one, one))
    names.push_back(name);
  return names;
}

}  // namespace perfmodel
