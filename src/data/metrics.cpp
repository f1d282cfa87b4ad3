#include "perfmodel/data/metrics.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace perfmodel {

Metrics compute_metrics(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted,
                        std::span<const std::uint64_t> runs) {
  if (measured.size() != predicted.size() || measured.size() == 0)
    throw std::invalid_argument("metrics need one prediction per measured time, and at least one");
  const auto rows = static_cast<std::size_t>(measured.size());
  const std::size_t all =
      runs.empty() ? rows : std::accumulate(runs.begin(), runs.end(), std::size_t{0});
  const double n = static_cast<double>(all);
  // Adding one by one gives what the rows themselves would.
  const auto for_each_run = [&](const auto& visit) {
    for (std::size_t row = 0; row < rows; ++row)
      for (std::uint64_t run = 0; run < (runs.empty() ? 1 : runs[row]); ++run)
        visit(static_cast<Eigen::Index>(row));
  };

  // Plain loops, not Eigen's reductions: those add in an order that depends on the vector width.
  double sum = 0;
  for_each_run([&](Eigen::Index i) { sum += measured[i]; });
  const double mean = sum / n;

  double absolute = 0;
  double relative = 0;
  double symmetric = 0;
  double residual_squares = 0;
  double total_squares = 0;
  bool all_equal = true;
  for_each_run([&](Eigen::Index i) {
    const double t = measured[i];
    const double y = predicted[i];
    const double error = std::abs(t - y);
    absolute += error;
    relative += error / t;
    symmetric += 2 * error / (std::abs(t) + std::abs(y));
    residual_squares += error * error;
    total_squares += (t - mean) * (t - mean);
    all_equal = all_equal && t == measured[0];
  });

  Metrics metrics;
  metrics.rows = all;
  metrics.mae = absolute / n;                   // Eq. (8)
  metrics.mape_percent = 100 * (relative / n);  // Eq. (12), in percent
  metrics.smape_percent = 100 * (symmetric / n);
  metrics.mse = residual_squares / n;
  metrics.rmse = std::sqrt(metrics.mse);
  metrics.r2 =
      all_equal ? std::numeric_limits<double>::quiet_NaN() : 1 - residual_squares / total_squares;
  return metrics;
}

}  // namespace perfmodel
