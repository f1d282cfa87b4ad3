#include <algorithm>
#include <cmath>
#include <vector>

#include "fit/sum/kernel/contrasts.hpp"
#include "fit/sum/terms/term_data.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// ln of a factor beside the mean of its column, beyond which others are not taken relative to it:
/// it went to nothing, or away where no row is, and they would be no numbers.
constexpr double kLargestLogFactor = 200;

/// ln of the factors; of a factor of 0 the mean of the others'.
VectorXd logs_of_factors(const VectorXd& constants, std::size_t first, std::size_t count) {
  const auto factors = constants.segment(static_cast<Index>(first), static_cast<Index>(count));
  VectorXd out = factors.array().max(1e-300).log();
  const auto present = (factors.array() > 0).cast<double>();
  const double mean = out.dot(present.matrix()) / std::max(present.sum(), 1.0);
  return (factors.array() > 0).select(out.array(), mean).matrix();
}

}  // namespace

VectorXd TermCoordinates::constants(const SumShape& shape, const VectorXd& theta) const {
  const MultiStructure form = structure(shape);
  const MultiLayout layout(spec_, form);
  VectorXd out = VectorXd::Zero(static_cast<Index>(layout.size()));
  const auto put = [&](std::size_t at, double value) { out[static_cast<Index>(at)] = value; };
  for (std::size_t k = 0; k < form.terms; ++k) {
    const VectorXd term = theta.segment(static_cast<Index>(k) * shape.features(), shape.features());
    double log_a = term[0] + std::log(typical_time_);
    std::size_t input = 0;
    for (std::size_t i = 0; i < spec_.intrinsic.size(); ++i) {
      const double power = term[inputs_[input++].first];
      put(layout.intrinsic_power(k, i), power);
      log_a -= power * centre(shape, spec_.extrinsic.size() + i);
    }
    // The first level's factor is 1: a is then the time of a configuration with all first levels.
    for (std::size_t c = 0; c < spec_.categorical.size(); ++c) {
      const auto [first, count] = inputs_[input++];
      const std::size_t levels = spec_.categorical[c].levels.size();
      const VectorXd log_factors = contrasts(levels) * term.segment(first, count);
      const std::size_t shown = spec_.categorical[c].shown_level(0);
      const double reference =
          std::clamp(log_factors[static_cast<Index>(shown)], -kLargestLogFactor, kLargestLogFactor);
      log_a += reference;
      for (std::size_t l = 0; l < levels; ++l)
        put(layout.level(k, c, l),
            l == shown ? 1 : std::exp(log_factors[static_cast<Index>(l)] - reference));
    }
    for (std::size_t j = 0; j < spec_.extrinsic.size(); ++j) {
      const double power = term[inputs_[input++].first];
      put(layout.extrinsic_power(k, j), power);
      log_a -= power * centre(shape, j);
    }
    for (std::size_t g = 0; g < form.regimes.size(); ++g) {
      const VectorXd log_factors =
          contrasts(2) * term.segment(plain_features_ + static_cast<Index>(g), 1);
      const double reference = std::clamp(log_factors[0], -kLargestLogFactor, kLargestLogFactor);
      log_a += reference;
      put(layout.regime(k, g, 0), 1);
      put(layout.regime(k, g, 1), std::exp(log_factors[1] - reference));
    }
    put(layout.coefficient(k), shape.sign(static_cast<Index>(k)) * std::exp(log_a));
  }
  if (shape.intercept)
    put(layout.intercept(), typical_time_ * std::exp(theta[theta.size() - 1]));
  return out;
}

VectorXd TermCoordinates::theta(const SumShape& shape, const VectorXd& constants) const {
  const MultiStructure form = structure(shape);
  const MultiLayout layout(spec_, form);
  const auto value = [&](std::size_t i) { return constants[static_cast<Index>(i)]; };
  VectorXd out = VectorXd::Zero(shape.size());
  for (std::size_t k = 0; k < form.terms; ++k) {
    auto term = out.segment(static_cast<Index>(k) * shape.features(), shape.features());
    term[0] = std::log(std::abs(value(layout.coefficient(k))) / typical_time_);
    const auto put_power = [&](std::size_t input, double power, double centre) {
      term[inputs_[input].first] = power;
      term[0] += power * centre;
    };
    // The factors of a column are exp(contrasts + mean of their logarithms).
    const auto put_factors = [&](Index first, std::size_t at, std::size_t count) {
      const VectorXd log_factors = logs_of_factors(constants, at, count);
      term[0] += log_factors.mean();
      term.segment(first, static_cast<Index>(count) - 1) =
          contrasts(count).transpose() * log_factors;
    };
    std::size_t input = 0;
    for (std::size_t i = 0; i < spec_.intrinsic.size(); ++i)
      put_power(input++, value(layout.intrinsic_power(k, i)),
                centre(shape, spec_.extrinsic.size() + i));
    for (std::size_t c = 0; c < spec_.categorical.size(); ++c)
      put_factors(inputs_[input++].first, layout.level(k, c, 0),
                  spec_.categorical[c].levels.size());
    for (std::size_t j = 0; j < spec_.extrinsic.size(); ++j)
      put_power(input++, value(layout.extrinsic_power(k, j)), centre(shape, j));
    for (std::size_t g = 0; g < form.regimes.size(); ++g)
      put_factors(plain_features_ + static_cast<Index>(g), layout.regime(k, g, 0), 2);
  }
  if (shape.intercept)
    out[out.size() - 1] = std::log(value(layout.intercept()) / typical_time_);
  return out;
}

}  // namespace perfmodel
