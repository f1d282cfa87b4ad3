#include "data/quantile.hpp"

#include <algorithm>
#include <cstddef>

namespace perfmodel {

double quantile(const std::vector<double>& sorted, double p) {
  const double n = static_cast<double>(sorted.size());
  const double rank = std::clamp(p * (n + 1) - 1, 0.0, n - 1);
  const std::size_t below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = rank - static_cast<double>(below);
  return (1 - part) * sorted[below] + part * sorted[above];
}

}  // namespace perfmodel
