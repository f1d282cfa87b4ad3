#include "optimise/evolution/population.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace perfmodel::optimise {

void Population::replace(std::size_t i, const ConstColumn& x, double cost) {
  members.col(static_cast<Eigen::Index>(i)) = x;
  costs[i] = cost;
}

void Population::swap(std::size_t i, std::size_t j) {
  members.col(static_cast<Eigen::Index>(i)).swap(members.col(static_cast<Eigen::Index>(j)));
  std::swap(costs[i], costs[j]);
}

void Population::promote_best() {
  const auto best =
      static_cast<std::size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
  if (best != 0)
    swap(0, best);
}

Eigen::MatrixXd latin_hypercube(const Bounds& bounds, std::size_t count, RandomStream& random,
                                const std::stop_token& stop) {
  Eigen::MatrixXd points = bounds.lower.replicate(1, static_cast<Eigen::Index>(count));
  std::vector<std::size_t> strata(count);
  for (const Eigen::Index j : free_coordinates(bounds)) {
    if (stop.stop_requested())
      break;
    std::iota(strata.begin(), strata.end(), std::size_t{0});
    random.shuffle(std::span(strata));
    const double width = bounds.upper[j] - bounds.lower[j];
    for (std::size_t i = 0; i < count; ++i) {
      const double position =
          (static_cast<double>(strata[i]) + random.uniform()) / static_cast<double>(count);
      points(j, static_cast<Eigen::Index>(i)) =
          std::min(bounds.lower[j] + position * width, bounds.upper[j]);
    }
  }
  return points;
}

CostStatistics statistics(std::span<const double> costs) {
  // Summed in index order, so that the bits do not depend on the width of the machine's vectors.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(costs.size());
  const double mean = std::accumulate(costs.begin(), costs.end(), 0.0) / n;
  if (!std::isfinite(mean))
    return {infinity, infinity};
  double squares = 0;
  for (const double cost : costs)
    squares += (cost - mean) * (cost - mean);
  return {mean, std::sqrt(squares / n)};
}

}  // namespace perfmodel::optimise
