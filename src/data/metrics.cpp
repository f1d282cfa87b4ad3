#include "perfmodel/data/metrics.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace perfmodel {

Metrics compute_metrics(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted) {
  if (measured.size() != predicted.size() || measured.size() == 0)
    throw std::invalid_argument("metrics need one prediction per measured time, and at least one");
  const double n = static_cast<double>(measured.size());

  // Plain loops, not Eigen's reductions: those add in an order that depends on the vector width.
  double sum = 0;
  for (const double t : measured)
    sum += t;
  const double mean = sum / n;

  double absolute = 0;
  double relative = 0;
  double symmetric = 0;
  double residual_squares = 0;
  double total_squares = 0;
  bool all_equal = true;
  for (Eigen::Index i = 0; i < measured.size(); ++i) {
    const double t = measured[i];
    const double y = predicted[i];
    const double error = std::abs(t - y);
    absolute += error;
    relative += error / t;
    symmetric += 2 * error / (std::abs(t) + std::abs(y));
    residual_squares += error * error;
    total_squares += (t - mean) * (t - mean);
    all_equal = all_equal && t == measured[0];
  }

  Metrics metrics;
  metrics.rows = static_cast<std::size_t>(measured.size());
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
