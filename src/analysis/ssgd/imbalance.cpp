#include "analysis/ssgd/imbalance.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/text.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::ssgd {

Imbalance imbalance_of_factor(double lambda, std::size_t workers) {
  const auto n = static_cast<double>(workers);
  if (!(lambda >= 0 && lambda <= n - 1)) {
    throw UsageError("a load imbalance factor of " + perfmodel::to_text(lambda) +
                     " is impossible with " + std::to_string(workers) +
                     " workers: it lies between 0 and " + perfmodel::to_text(n - 1) +
                     ", where one worker does everything");
  }
  Imbalance imbalance;
  imbalance.workers = workers;
  imbalance.imbalance_ratio = 1 + lambda;
  imbalance.load_imbalance_factor = lambda;
  imbalance.pop_load_balance = 1 / (1 + lambda);
  imbalance.relative_imbalance = lambda / (1 + lambda);
  imbalance.imbalance_percentage =
      workers > 1 ? 100 * imbalance.relative_imbalance * n / (n - 1) : 0;
  return imbalance;
}

Imbalance imbalance_of_times(const std::vector<double>& times) {
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  const double largest = *std::max_element(times.begin(), times.end());
  const auto n = static_cast<double>(times.size());
  // Rounding must not push the factor out of its range.
  return imbalance_of_factor(std::clamp(largest * n / sum - 1, 0.0, n - 1), times.size());
}

Imbalance imbalance_of_even_split(std::size_t samples, std::size_t workers) {
  if (samples < workers) {
    throw UsageError("a batch of " + std::to_string(samples) + " samples leaves some of the " +
                     std::to_string(workers) + " workers without any");
  }
  const std::size_t largest = (samples + workers - 1) / workers;
  return imbalance_of_factor(
      static_cast<double>(largest * workers) / static_cast<double>(samples) - 1, workers);
}

}  // namespace perfmodel::ssgd
