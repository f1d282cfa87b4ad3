#include "analysis/errors/error_groups.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/central/moved_configuration.hpp"
#include "base/index.hpp"

namespace perfmodel {
namespace {

/// What is known of each run.
struct RunErrors {
  std::vector<double> times;
  std::vector<double> percents;
};

RunErrors run_errors(const Design& runs, const Eigen::VectorXd& predicted) {
  RunErrors out{{runs.time.begin(), runs.time.end()}, {}};
  for (std::size_t row = 0; row < runs.rows; ++row)
    out.percents.push_back(100 * (predicted[index(row)] / out.times[row] - 1));
  return out;
}

/// As sorted_quantile(), without sorting all of many values.
double quantile_of(std::vector<double>& values, double q) {
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), below, values.end());
  const double share = place - std::floor(place);
  if (share == 0)
    return *below;
  return *below * (1 - share) + *std::min_element(below + 1, values.end()) * share;
}

ErrorGroup group_of(const std::string& name, const std::vector<std::size_t>& rows,
                    const RunErrors& errors) {
  std::vector<double> times;
  std::vector<double> percents;
  double sum = 0;
  for (const std::size_t row : rows) {
    times.push_back(errors.times[row]);
    percents.push_back(errors.percents[row]);
    sum += std::abs(errors.percents[row]);
  }
  return {.name = name,
          .rows = rows.size(),
          .median_time = quantile_of(times, 0.5),
          .mape = sum / static_cast<double>(rows.size()),
          .lower = quantile_of(percents, 0.25),
          .middle = quantile_of(percents, 0.5),
          .upper = quantile_of(percents, 0.75)};
}

/// The rows by their values, ascending.
std::vector<std::size_t> rows_by_value(const NumericFactor& factor, std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return factor.coded() ? factor.codes[a] < factor.codes[b] : factor.values[a] < factor.values[b];
  });
  return rows;
}

std::vector<RowsAlong::Group> groups_of_levels(const CategoricalInput& input,
                                               const LevelFactor& factor) {
  std::vector<RowsAlong::Group> out;
  for (const std::string& level : input.levels)
    out.push_back({level, {}});
  for (std::size_t row = 0; row < factor.codes.size(); ++row)
    out[factor.codes[row]].rows.push_back(row);
  std::erase_if(out, [](const RowsAlong::Group& group) { return group.rows.empty(); });
  return out;
}

/// Few values each for itself, more in groups of about equally many rows.
std::vector<RowsAlong::Group> groups_of_values(const NumericFactor& factor, std::size_t count) {
  const std::vector<std::size_t> sorted = rows_by_value(factor, count);
  const auto value = [&](std::size_t place) { return factor.value(sorted[place]); };
  std::size_t distinct = 1;
  for (std::size_t place = 1; place < count; ++place)
    distinct += value(place) != value(place - 1) ? 1U : 0U;
  const std::size_t size =
      distinct <= RowsAlong::most_values ? 1 : count / RowsAlong::most_values + 1;
  std::vector<RowsAlong::Group> out;
  std::size_t first = 0;
  for (std::size_t next = 1; next <= count; ++next) {
    const bool ends = next == count || (value(next) != value(next - 1) && next - first >= size);
    if (!ends)
      continue;
    const std::string low = setting_text(value(first));
    const std::string high = setting_text(value(next - 1));
    out.push_back({low == high ? high : low + " .. " + high,
                   {sorted.begin() + index(first), sorted.begin() + index(next)}});
    first = next;
  }
  return out;
}

}  // namespace

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

std::vector<ErrorsAlong> errors_along(const ModelSpec& spec, const Design& runs,
                                      const Eigen::VectorXd& predicted) {
  const RunErrors errors = run_errors(runs, predicted);
  std::vector<ErrorsAlong> out;
  for (const RowsAlong& along : rows_along(spec, runs)) {
    ErrorsAlong& added = out.emplace_back(ErrorsAlong{along.column, along.kind, {}});
    for (const RowsAlong::Group& group : along.groups)
      added.groups.push_back(group_of(group.name, group.rows, errors));
    if (along.kind == InputKind::levels)
      std::stable_sort(added.groups.begin(), added.groups.end(),
                       [](const ErrorGroup& a, const ErrorGroup& b) { return a.mape > b.mape; });
  }
  return out;
}

}  // namespace perfmodel
