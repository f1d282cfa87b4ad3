#include "fit/process/hyper_search.hpp"

#include <algorithm>
#include <cmath>

#include "optimise/newton/quasi_newton.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kInverseLength = 0.05;  ///< medians of the priors
constexpr double kLevelRate = 0.03;
constexpr double kLogDeviation = 3;
constexpr double kShareDeviation = 2;
constexpr double kNoiseDeviation = 2;
constexpr double kFewestRepeats = 3;  ///< that tell the noise
constexpr double kLivelyInverseLength = 0.5;
constexpr double kLivelyRate = 0.3;

/// Closer to the optimum, no prediction changes by what the runs could tell.
constexpr double kSearchReduction = 1e-5;

}  // namespace

HyperPrior sparse_prior(const HyperLayout& layout, double noise) {
  HyperPrior out{.mean = VectorXd::Zero(layout.size()), .precision = VectorXd::Zero(layout.size())};
  for (Index j = 0; j < layout.numbers; ++j) {
    out.mean[layout.length(j)] = std::log(kInverseLength);
    out.precision[layout.length(j)] = 1 / (kLogDeviation * kLogDeviation);
    out.precision[layout.share(j)] = 1 / (kShareDeviation * kShareDeviation);
  }
  for (Index j = 0; j < layout.levels; ++j) {
    out.mean[layout.rate(j)] = std::log(kLevelRate);
    out.precision[layout.rate(j)] = 1 / (kLogDeviation * kLogDeviation);
  }
  out.mean[layout.noise()] = std::log(noise);
  out.precision[layout.noise()] = 1 / (kNoiseDeviation * kNoiseDeviation);
  return out;
}

std::vector<PriorFacts> prior_facts() {
  return {{"ln(1 / length) of a number", std::log(kInverseLength), kLogDeviation},
          {"ln(w / (1 - w)) of a number's share w", 0, kShareDeviation},
          {"ln(rate) of a column of levels", std::log(kLevelRate), kLogDeviation},
          {"ln(variance) of the noise, where no repeats tell it", std::log(kUsualNoise),
           kNoiseDeviation}};
}

optimise::Bounds hyper_bounds(const HyperLayout& layout, double spread) {
  const double log_spread = std::log(spread);
  optimise::Bounds out{.lower = VectorXd::Constant(layout.size(), -7),
                       .upper = VectorXd::Constant(layout.size(), 4)};
  for (Index j = 0; j < layout.numbers; ++j) {
    out.lower[layout.share(j)] = -6;
    out.upper[layout.share(j)] = 6;
  }
  out.lower[layout.variance()] = log_spread - 14;
  out.upper[layout.variance()] = log_spread + 6;
  out.lower[layout.noise()] = log_spread - 14;
  out.upper[layout.noise()] = log_spread + 1;
  for (Index g = 0; g < layout.groups; ++g) {
    out.lower[layout.group(g)] = log_spread - 16;
    out.upper[layout.group(g)] = log_spread + 3;
  }
  return out;
}

VectorXd hyper_start(const Observations& rows, double process_share) {
  const HyperLayout layout(rows);
  const double spread = std::log(rows.spread);
  VectorXd out = sparse_prior(layout).mean;
  out[layout.variance()] = spread + std::log(process_share);
  out[layout.noise()] = spread + std::log(0.05);
  for (Index g = 0; g < layout.groups; ++g) {
    const auto own = std::count(rows.trend.groups.begin(), rows.trend.groups.end(), g);
    out[layout.group(g)] = spread - std::log(std::max<double>(static_cast<double>(own), 1));
  }
  return out;
}

VectorXd lively_start(const Observations& rows) {
  const HyperLayout layout(rows);
  VectorXd out = hyper_start(rows, 0.5);
  for (Index j = 0; j < layout.numbers; ++j)
    out[layout.length(j)] = std::log(kLivelyInverseLength);
  for (Index j = 0; j < layout.levels; ++j)
    out[layout.rate(j)] = std::log(kLivelyRate);
  return out;
}

HyperResult climb(const Observations& rows, const VectorXd& start, std::size_t iterations,
                  std::size_t threads, const std::stop_token& stop) {
  const HyperLayout layout(rows);
  const bool has_repeats = rows.repeated_runs >= kFewestRepeats && rows.scatter > 0;
  HyperPosterior posterior(
      rows, sparse_prior(layout, has_repeats ? rows.scatter / rows.repeated_runs : kUsualNoise),
      threads);
  const optimise::SmoothObjective objective{
      .cost = [&](const VectorXd& hyper) { return posterior.cost(hyper); },
      .gradient = [&] { return posterior.slopes(); }};
  optimise::QuasiNewtonOptions options;
  options.iterations = iterations;
  options.reduction = kSearchReduction;
  options.stop = stop;
  const optimise::Bounds bounds = hyper_bounds(layout, rows.spread);
  const VectorXd inside = start.cwiseMax(bounds.lower).cwiseMin(bounds.upper);
  const optimise::QuasiNewtonResult found = quasi_newton(objective, bounds, inside, options);
  return {.hyper = found.best, .cost = found.cost, .evaluations = found.evaluations};
}

}  // namespace perfmodel::process
