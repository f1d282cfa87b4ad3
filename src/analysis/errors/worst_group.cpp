#include "analysis/errors/worst_group.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "analysis/errors/error_groups.hpp"
#include "base/index.hpp"
#include "model/design/row_groups.hpp"

namespace perfmodel {
namespace {

constexpr double kClearlyLarger = 1.5;
constexpr double kMostChance = 0.01;
constexpr std::size_t kFewest = 5;  // configurations of a group, and of the others

/// Errors of configurations in percent, and where each stands among all.
struct RankedErrors {
  RowGroups configurations;
  std::vector<double> percents;  ///< of rows
  std::vector<double> ranks;  ///< of configurations by their mean error, from 1; equal ones share
};

RankedErrors ranked_errors(const Design& runs, const Eigen::VectorXd& predicted) {
  RankedErrors out{configuration_groups(runs), {}, {}};
  const std::size_t count = out.configurations.count;
  std::vector<double> sums(count, 0);
  std::vector<double> sizes(count, 0);
  for (std::size_t row = 0; row < runs.rows; ++row) {
    out.percents.push_back(100 * std::abs(predicted[index(row)] / runs.time[index(row)] - 1));
    sums[out.configurations.of_row[row]] += out.percents.back();
    ++sizes[out.configurations.of_row[row]];
  }
  for (std::size_t c = 0; c < count; ++c)
    sums[c] /= sizes[c];
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sums[a] < sums[b]; });
  out.ranks.resize(count);
  for (std::size_t first = 0, next = 0; first < count; first = next) {
    while (next < count && sums[order[next]] == sums[order[first]])
      ++next;
    for (std::size_t place = first; place < next; ++place)
      out.ranks[order[place]] = 0.5 * static_cast<double>(first + next + 1);
  }
  return out;
}

/// The probability that chance alone gives a group of configurations ranks as high as these (test
/// of Mann and Whitney, the sum of ranks taken as normal). 1 where there are too few.
double chance_of(const std::vector<std::size_t>& rows, const RankedErrors& errors) {
  const std::size_t all = errors.ranks.size();
  std::vector<bool> counted(all, false);
  double sum = 0;
  std::size_t count = 0;
  for (const std::size_t row : rows) {
    const std::size_t configuration = errors.configurations.of_row[row];
    if (counted[configuration])
      continue;
    counted[configuration] = true;
    sum += errors.ranks[configuration];
    ++count;
  }
  if (count < kFewest || all - count < kFewest)
    return 1;
  const auto n = static_cast<double>(count);
  const auto m = static_cast<double>(all - count);
  const double deviation = std::sqrt(n * m * (n + m + 1) / 12);
  const double z = (sum - n * (n + m + 1) / 2) / deviation;
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
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

}  // namespace

std::optional<WorstGroup> worst_group(const ModelSpec& spec, const Design& runs,
                                      const Eigen::VectorXd& predicted) {
  const RankedErrors errors = ranked_errors(runs, predicted);
  std::size_t looked_at = 0;
  double least_chance = 1;
  std::optional<WorstGroup> worst;
  for (const RowsAlong& along : rows_along(spec, runs)) {
    const bool has_ends = along.kind != InputKind::levels;
    for (std::size_t g = 0; g < along.groups.size(); ++g) {
      if (has_ends && g > 0 && g + 1 < along.groups.size())
        continue;
      ++looked_at;
      const double chance = chance_of(along.groups[g].rows, errors);
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

}  // namespace perfmodel
