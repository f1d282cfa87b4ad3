#include "perfmodel/model/design/replicates.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/index.hpp"
#include "model/design/row_groups.hpp"

namespace perfmodel {
namespace {

/// Order of two rows by their inputs; rows of one configuration are equal.
class ByConfiguration {
 public:
  explicit ByConfiguration(const Design& design) : design_(design) {}

  /// Less than, equal to or greater than 0.
  int compare(std::size_t a, std::size_t b) const {
    for (const auto* factors : {&design_.intrinsic, &design_.extrinsic}) {
      for (const NumericFactor& factor : *factors)
        if (factor.value(a) != factor.value(b))
          return factor.value(a) < factor.value(b) ? -1 : 1;
    }
    for (const LevelFactor& factor : design_.categorical)
      if (factor.codes[a] != factor.codes[b])
        return factor.codes[a] < factor.codes[b] ? -1 : 1;
    return 0;
  }

 private:
  const Design& design_;
};

/// The rows of each configuration that was run more than once, in the order of configurations.
std::vector<std::vector<std::size_t>> replicated_rows(const Design& design) {
  const RowGroups groups = configuration_groups(design);
  std::vector<std::size_t> runs(groups.count, 0);
  for (std::size_t row = 0; row < design.rows; ++row)
    runs[groups.of_row[row]] += design.runs_of(row);
  std::vector<std::vector<std::size_t>> out;
  std::vector<std::size_t> place(groups.count, 0);
  for (std::size_t group = 0; group < groups.count; ++group) {
    if (runs[group] < 2)
      continue;
    place[group] = out.size();
    out.emplace_back();
  }
  for (std::size_t row = 0; row < design.rows; ++row)
    if (runs[groups.of_row[row]] >= 2)
      out[place[groups.of_row[row]]].push_back(row);
  const ByConfiguration order(design);
  std::sort(out.begin(), out.end(),
            [&](const auto& a, const auto& b) { return order.compare(a[0], b[0]) < 0; });
  return out;
}

double sample_median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

}  // namespace

double median_shrinkage(std::size_t sample_size) {
  // A sample of 2k + 1 has the same sum of deviations per row as one of 2k. 1 / (1 - ratio) of k =
  // 1, 2, 3, 4 is 3.414, 5.924, 8.453, 10.99.
  const std::size_t k = sample_size / 2;
  return 1 - 1 / (0.88 + 2.53 * static_cast<double>(k));
}

std::optional<NoiseFloor> noise_floor(const Design& design) {
  NoiseFloor out;
  double sum = 0;
  for (const std::vector<std::size_t>& rows : replicated_rows(design)) {
    std::vector<double> times;
    for (const std::size_t row : rows)
      times.insert(times.end(), design.runs_of(row), design.time[index(row)]);
    const double middle = sample_median(times);
    double deviations = 0;
    for (const double time : times)
      deviations += std::abs(time - middle) / time;
    sum += deviations / median_shrinkage(times.size());
    out.rows += times.size();
    ++out.groups;
  }
  if (out.groups == 0)
    return std::nullopt;
  out.mape_percent = 100 * sum / static_cast<double>(out.rows);
  return out;
}

}  // namespace perfmodel
