#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <stop_token>
#include <vector>

#include "fit/process/likelihood.hpp"
#include "optimise/algebra/bounds.hpp"

namespace perfmodel::process {

/// The variance of the logarithms of measured times about what they would be, typically.
constexpr double kUsualNoise = 0.02 * 0.02;

/// Most columns do nothing until the runs say so: their correlation stays near 1. What a process of
/// short lengths and noise could both say is noise as far as it may be some.
HyperPrior sparse_prior(const HyperLayout& layout, double noise = kUsualNoise);

/// One line of the prior, for readers.
struct PriorFacts {
  const char* of;
  double mean;
  double deviation;
};
std::vector<PriorFacts> prior_facts();

/// `spread`: the variance of what process, trend and noise stand for.
optimise::Bounds hyper_bounds(const HyperLayout& layout, double spread);

/// Half or a twentieth of the variance is the process's, the rest the trend's.
Eigen::VectorXd hyper_start(const Observations& rows, double process_share);

/// Where every column matters. Near what a good trend leaves, columns that do nothing are a
/// stationary point: nothing but noise.
Eigen::VectorXd lively_start(const Observations& rows);

struct HyperResult {
  Eigen::VectorXd hyper;
  double cost = 0;
  std::size_t evaluations = 0;
};

/// The mode of the posterior from there.
HyperResult climb(const Observations& rows, const Eigen::VectorXd& start, std::size_t iterations,
                  std::size_t threads, const std::stop_token& stop);

}  // namespace perfmodel::process
