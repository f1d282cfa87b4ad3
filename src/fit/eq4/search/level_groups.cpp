#include "fit/eq4/search/level_groups.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "base/index.hpp"
#include "fit/eq4/space/many_levels.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kGroups = 12;

/// The group of each level. Levels without rows are in the middle one.
std::vector<std::uint32_t> groups_of(const LevelFactor& factor, const WeightedRows& rows) {
  std::vector<double> log_times(factor.levels, 0);
  std::vector<double> weights(factor.levels, 0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::uint32_t level = factor.codes[row];
    log_times[level] += rows.weight(row) * std::log(rows.design().time[index(row)]);
    weights[level] += rows.weight(row);
  }
  std::vector<std::size_t> order(factor.levels);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto mean = [&](std::size_t level) {
    return weights[level] > 0 ? log_times[level] / weights[level] : 0;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return mean(a) < mean(b); });
  std::vector<std::uint32_t> out(factor.levels, kGroups / 2);
  double before = 0;
  for (const std::size_t level : order) {
    if (weights[level] == 0)
      continue;
    const double middle = (before + weights[level] / 2) / rows.total_weight();
    out[level] =
        static_cast<std::uint32_t>(std::min<double>(kGroups - 1, std::floor(middle * kGroups)));
    before += weights[level];
  }
  return out;
}

}  // namespace

std::optional<LevelGroups> LevelGroups::make(const ModelSpec& spec, const WeightedRows& rows) {
  if (!column_of_many_levels(rows.design()))
    return std::nullopt;
  ModelSpec grouped = spec;
  std::vector<std::vector<std::uint32_t>> group_of;
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const LevelFactor& factor = rows.design().categorical[c];
    group_of.emplace_back();
    if (factor.levels < kManyLevels)
      continue;
    group_of.back() = groups_of(factor, rows);
    grouped.categorical[c].levels.clear();
    for (std::size_t g = 0; g < kGroups; ++g)
      grouped.categorical[c].levels.push_back(std::to_string(g));
  }
  LevelGroups out(std::move(grouped));
  out.group_of_ = std::move(group_of);
  for (const CategoricalInput& input : spec.categorical)
    out.levels_.push_back(input.levels.size());
  return out;
}

WeightedRows LevelGroups::group(const WeightedRows& rows) const {
  Design design = rows.design();
  for (std::size_t c = 0; c < group_of_.size(); ++c) {
    if (group_of_[c].empty())
      continue;
    design.categorical[c].levels = kGroups;
    for (std::uint32_t& code : design.categorical[c].codes)
      code = group_of_[c][code];
  }
  return rows.with(std::move(design));
}

Eigen::VectorXd LevelGroups::of_levels(const Eigen::VectorXd& of_groups) const {
  const auto first_level = index(layout_.level(0, 0));
  const auto first_power = index(layout_.intrinsic_power(0));
  const std::size_t levels = std::accumulate(levels_.begin(), levels_.end(), std::size_t{0});
  Eigen::VectorXd out(of_groups.size() - (first_power - first_level) + index(levels));
  out.head(first_level) = of_groups.head(first_level);
  Eigen::Index place = first_level;
  for (std::size_t c = 0; c < levels_.size(); ++c)
    for (std::size_t l = 0; l < levels_[c]; ++l)
      out[place++] = of_groups[index(layout_.level(c, group_of_[c].empty() ? l : group_of_[c][l]))];
  out.tail(of_groups.size() - first_power) = of_groups.tail(of_groups.size() - first_power);
  return out;
}

}  // namespace perfmodel
