#include "perfmodel/model/replicates.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "perfmodel/base/index.hpp"

namespace perfmodel {
namespace {

/// Order of two rows by their inputs; rows of one configuration are equal.
class ByConfiguration {
 public:
  explicit ByConfiguration(const Design& design) : design_(design) {}

  int compare(std::size_t a, std::size_t b) const {
    for (const auto* factors : {&design_.intrinsic, &design_.extrinsic}) {
      for (const NumericFactor& factor : *factors) {
        if (factor.value(a) != factor.value(b))
          return factor.value(a) < factor.value(b) ? -1 : 1;
      }
    }
    for (const LevelFactor& factor : design_.categorical) {
      if (factor.codes[a] != factor.codes[b])
        return factor.codes[a] < factor.codes[b] ? -1 : 1;
    }
    return 0;
  }

 private:
  const Design& design_;
};

double sample_median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

}  // namespace

double median_shrinkage(std::size_t sample_size) {
  // A sample of 2k + 1 has the same sum of deviations per row as one of 2k. 1 / (1 - ratio) of k =
  // 1, 2, 3, 4 is 3.414, 5.924, 8.453, 10.99.
  const double k = static_cast<double>(sample_size / 2);
  return 1 - 1 / (0.88 + 2.53 * k);
}

std::optional<NoiseFloor> noise_floor(const Design& design) {
  const ByConfiguration order(design);
  std::vector<std::size_t> rows(design.rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    const int compared = order.compare(a, b);
    return compared != 0 ? compared < 0 : a < b;
  });
  NoiseFloor out;
  double sum = 0;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    std::vector<double> times;
    for (end = begin; end < rows.size() && order.compare(rows[begin], rows[end]) == 0; ++end)
      times.push_back(design.time[index(rows[end])]);
    if (times.size() < 2)
      continue;
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
