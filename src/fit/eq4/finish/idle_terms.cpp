#include "fit/eq4/finish/idle_terms.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Powers that are tried are this far apart.
constexpr double kPowerSpacing = 0.25;
/// A slope counts as downhill beyond this share of the largest that rows of these pulls could have:
/// the rest is rounding.
constexpr double kDownhillShare = 1e-9;

std::size_t place_of(const NumericFactor& factor, std::size_t row) {
  return factor.coded() ? factor.codes[row] : row;
}

/// What scales the sum of intrinsic terms in each row: the product of E_j^q_j.
VectorXd extrinsic_products(const Design& training, const SearchSpace& space,
                            const VectorXd& scaled) {
  VectorXd exponent = VectorXd::Zero(static_cast<Index>(training.rows));
  for (std::size_t j = 0; j < training.extrinsic.size(); ++j) {
    const NumericFactor& factor = training.extrinsic[j];
    const double q = scaled[static_cast<Index>(space.layout().extrinsic_power(j))];
    std::vector<double> parts;
    parts.reserve(factor.values.size());
    for (const double value : factor.values)
      parts.push_back(q * (std::log(value) - space.extrinsic_log_centres()[j]));
    for (std::size_t r = 0; r < training.rows; ++r)
      exponent[static_cast<Index>(r)] += parts[place_of(factor, r)];
  }
  return exponent.array().exp();
}

/// The power of [low, high] at which the cost falls steepest with the size of the term, its root
/// mean square over the rows; nothing where it falls at none. `product`: of E_j^q_j in each row.
std::optional<double> steepest_power(const NumericFactor& factor, double log_centre,
                                     const VectorXd& pull, const VectorXd& product, double low,
                                     double high) {
  const std::size_t places = factor.values.size();
  std::vector<double> slope_of(places, 0);
  std::vector<double> square_of(places, 0);
  for (Index r = 0; r < pull.size(); ++r) {
    const std::size_t place = place_of(factor, static_cast<std::size_t>(r));
    slope_of[place] += pull[r] * product[r];
    square_of[place] += product[r] * product[r];
  }
  // I^p on the grid by repeated multiplication: two exponentials per distinct value.
  const int steps = std::max(1, static_cast<int>(std::lround((high - low) / kPowerSpacing)));
  std::vector<double> powers(places);
  std::vector<double> factors(places);
  for (std::size_t v = 0; v < places; ++v) {
    const double log_value = log_of_value(factor.values[v]) - log_centre;
    powers[v] = std::exp(low * log_value);
    factors[v] = std::exp((high - low) / steps * log_value);
  }
  std::optional<double> best;
  double least = -kDownhillShare * pull.norm();
  for (int k = 0; k <= steps; ++k) {
    double slope = 0;
    double square = 0;
    for (std::size_t v = 0; v < places; ++v) {
      slope += slope_of[v] * powers[v];
      square += square_of[v] * powers[v] * powers[v];
      powers[v] *= factors[v];
    }
    const double steepness = slope / std::sqrt(square);
    if (steepness < least) {
      least = steepness;
      best = k == steps ? high : low + (high - low) / steps * k;
    }
  }
  return best;
}

}  // namespace

std::optional<VectorXd> wake_idle_terms(const Design& training, const SearchSpace& space,
                                        const VectorXd& scaled, const VectorXd& pull) {
  std::vector<std::size_t> idle;
  for (std::size_t i = 0; i < training.intrinsic.size(); ++i) {
    const Index a = static_cast<Index>(space.layout().coefficient(i));
    if (scaled[a] == 0 && space.scaled().upper[a] > 0)
      idle.push_back(i);
  }
  if (idle.empty())
    return std::nullopt;
  const VectorXd product = extrinsic_products(training, space, scaled);
  std::optional<VectorXd> woken;
  for (const std::size_t i : idle) {
    const Index p = static_cast<Index>(space.layout().intrinsic_power(i));
    const auto power = steepest_power(training.intrinsic[i], space.intrinsic_log_centres()[i], pull,
                                      product, space.scaled().lower[p], space.scaled().upper[p]);
    if (!power)
      continue;
    if (!woken)
      woken = scaled;
    (*woken)[p] = *power;
  }
  return woken;
}

}  // namespace perfmodel
