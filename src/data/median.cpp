#include "data/median.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace perfmodel {

double median(Eigen::VectorXd values) {
  const auto middle = values.data() + values.size() / 2;
  std::nth_element(values.data(), middle, values.data() + values.size());
  return *middle;
}

double median(const Eigen::VectorXd& values, std::span<const std::uint64_t> counts) {
  if (counts.empty())
    return median(values);
  std::vector<std::pair<double, std::uint64_t>> sorted;
  sorted.reserve(counts.size());
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sorted.emplace_back(values[static_cast<Eigen::Index>(i)], counts[i]);
    all += counts[i];
  }
  std::sort(sorted.begin(), sorted.end());
  std::uint64_t before = 0;
  for (const auto& [value, count] : sorted) {
    before += count;
    if (before > all / 2)
      return value;
  }
  return sorted.back().first;
}

}  // namespace perfmodel
