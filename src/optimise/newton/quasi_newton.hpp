#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <stop_token>

#include "optimise/algebra/bounds.hpp"
#include "optimise/evolution/differential_evolution.hpp"

namespace perfmodel::optimise {

/// The settings of L-BFGS-B (Zhu, Byrd, Lu and Nocedal 1997), with scipy's names and defaults.
struct QuasiNewtonOptions {
  std::size_t corrections = 10;  ///< pairs of steps and gradient changes that are kept
  std::size_t iterations = 15000;
  std::size_t evaluations = 15000;           ///< not exceeded by more than one gradient
  double reduction = 2.220446049250313e-09;  ///< stops below this share of max(|cost|, 1)
  double projected_gradient = 1e-5;          ///< stops below this largest component
  double difference = 1e-8;  ///< step of the forward differences, where they are used
  std::stop_token stop = {};
};

struct QuasiNewtonResult {
  Eigen::VectorXd best;
  double cost = 0;
  std::size_t iterations = 0;
  std::size_t evaluations = 0;
};

/// A cost that comes with its slopes.
struct SmoothObjective {
  std::function<double(const Eigen::VectorXd&)> cost;
  std::function<Eigen::VectorXd()> gradient;  ///< where the cost was asked for last
};

/// Limited-memory BFGS on a box, from a point of it: steps in the coordinates that are not held at
/// a bound by the gradient, projected onto the box and shortened until they gain enough (Bertsekas
/// 1982). Gradients are forward differences, backward ones at an upper bound. Never worse than the
/// start, never outside the box; the cost need not be smooth, but only a smooth one is minimised.
QuasiNewtonResult quasi_newton(const BatchObjective& objective, const Bounds& bounds,
                               const Eigen::VectorXd& start, const QuasiNewtonOptions& options);

/// The same with the slopes of the objective.
QuasiNewtonResult quasi_newton(const SmoothObjective& objective, const Bounds& bounds,
                               const Eigen::VectorXd& start, const QuasiNewtonOptions& options);

}  // namespace perfmodel::optimise
