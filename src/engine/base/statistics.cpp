#include "base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace perfmodel {

namespace {

/// The upper middle value; those before it are not larger.
template <class Values>
double upper_middle(Values& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

double median(VectorXd values) {
  return upper_middle(values);
}

double median(std::vector<double> values) {
  return upper_middle(values);
}

double sample_median(std::vector<double> values) {
  const double upper = upper_middle(values);
  if (values.size() % 2 == 1)
    return upper;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  return 0.5 * (*std::max_element(values.begin(), middle) + upper);
}

double sample_median(const VectorXd& values) {
  return sample_median(std::vector<double>(values.begin(), values.end()));
}

double quantile(std::vector<double> values, double p, QuantileRank rank) {
  const double last = static_cast<double>(values.size() - 1);
  const double place =
      rank == QuantileRank::of_sample ? p * last : std::clamp(p * (last + 2) - 1, 0.0, last);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), below, values.end());
  const double share = place - std::floor(place);
  if (share == 0)
    return *below;
  return *below * (1 - share) + *std::min_element(below + 1, values.end()) * share;
}

double normal_density(double z) {
  return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}

double normal_cdf(double z) {
  return std::erfc(-z / std::numbers::sqrt2) / 2;
}

double log_normal_cdf(double z) {
  constexpr double far_below = -25;  // erfc underflows later: by its asymptotic series
  if (z < far_below)
    return -z * z / 2 - std::log(-z) - std::log(2 * std::numbers::pi) / 2 +
           std::log1p(-1 / (z * z) + 3 / (z * z * z * z));
  return std::log(normal_cdf(z));
}

double normal_quantile(double p) {
  if (p > 0.5)
    return -normal_quantile(1 - p);
  // By Newton steps on the logarithm, which converge from the left: it is concave.
  double z = -1;
  for (int step = 0; step < 60; ++step) {
    const double below = normal_cdf(z);
    const double move = std::log(p / below) * below / normal_density(z);
    z += move;
    if (std::abs(move) < 1e-14)
      break;
  }
  return z;
}

}  // namespace perfmodel
