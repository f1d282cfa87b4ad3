#include "analysis/page/error_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/central/moved_configuration.hpp"
#include "analysis/page/errors.hpp"
#include "base/index.hpp"

namespace perfmodel::page {
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
  std::sort(times.begin(), times.end());
  std::sort(percents.begin(), percents.end());
  return {.name = name,
          .rows = rows.size(),
          .median_time = sorted_quantile(times, 0.5),
          .mape = sum / static_cast<double>(rows.size()),
          .lower = sorted_quantile(percents, 0.25),
          .middle = sorted_quantile(percents, 0.5),
          .upper = sorted_quantile(percents, 0.75)};
}

std::vector<ErrorGroup> groups_of_levels(const CategoricalInput& input, const LevelFactor& factor,
                                         const RunErrors& errors) {
  std::vector<std::vector<std::size_t>> rows(input.levels.size());
  for (std::size_t row = 0; row < factor.codes.size(); ++row)
    rows[factor.codes[row]].push_back(row);
  std::vector<ErrorGroup> out;
  for (std::size_t level = 0; level < rows.size(); ++level)
    if (!rows[level].empty())
      out.push_back(group_of(input.levels[level], rows[level], errors));
  std::stable_sort(out.begin(), out.end(),
                   [](const ErrorGroup& a, const ErrorGroup& b) { return a.mape > b.mape; });
  return out;
}

/// Few values each for itself, more in groups of about equally many rows.
std::vector<ErrorGroup> groups_of_values(const NumericFactor& factor, const RunErrors& errors) {
  const std::size_t count = errors.times.size();
  std::map<double, std::vector<std::size_t>> by_value;
  for (std::size_t row = 0; row < count; ++row)
    by_value[factor.value(row)].push_back(row);
  const std::size_t size =
      by_value.size() <= ErrorsAlong::most_values ? 1 : count / ErrorsAlong::most_values + 1;
  std::vector<ErrorGroup> out;
  std::vector<std::size_t> rows;
  double low = by_value.begin()->first;
  for (auto value = by_value.begin(); value != by_value.end(); ++value) {
    if (rows.empty())
      low = value->first;
    rows.insert(rows.end(), value->second.begin(), value->second.end());
    if (rows.size() < size && std::next(value) != by_value.end())
      continue;
    const std::string high = setting_text(value->first);
    out.push_back(
        group_of(low == value->first ? high : setting_text(low) + " .. " + high, rows, errors));
    rows.clear();
  }
  return out;
}

}  // namespace

std::vector<ErrorsAlong> errors_along(const ModelSpec& spec, const Design& runs,
                                      const Eigen::VectorXd& predicted) {
  using enum ErrorsAlong::Kind;
  const RunErrors errors = run_errors(runs, predicted);
  std::vector<ErrorsAlong> out;
  const auto add = [&](const std::string& column, ErrorsAlong::Kind kind,
                       std::vector<ErrorGroup> groups) {
    if (groups.size() > 1)
      out.push_back({column, kind, std::move(groups)});
  };
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    add(spec.categorical[c].column, levels,
        groups_of_levels(spec.categorical[c], runs.categorical[c], errors));
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    add(spec.extrinsic[j].column, scale, groups_of_values(runs.extrinsic[j], errors));
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    add(spec.intrinsic[i].column, number, groups_of_values(runs.intrinsic[i], errors));
  return out;
}

}  // namespace perfmodel::page
