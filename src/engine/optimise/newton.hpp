#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>

#include "optimise/differential_evolution.hpp"

namespace perfmodel {

/// A cost near a point: cost + g'd + d'Hd/2.
struct CostParabola {
  VectorXd gradient;
  SymmetricMatrix hessian;
  /// The Hessian without the second derivatives of the predictions: never indefinite, but
  /// convergence is slow if residuals remain.
  SymmetricMatrix gauss_newton;
};

/// The curvature of l1 |v| + l2 v^2 at each value v, |v| being replaced by its tangent parabola
/// v^2 / (2 |v0|), which touches it from above.
VectorXd tangent_curvature(const VectorXd& values, double l1, double l2);

/// The step to the minimum of a damped parabola in the box: constants that would leave the box are
/// fixed at the bound, and the others are solved for again. Nullopt if the parabola opens
/// downwards.
std::optional<VectorXd> damped_step(const CostParabola& model, const SymmetricMatrix& curvature,
                                    double damping, const VectorXd& at, const optimise::Bounds& box,
                                    const std::stop_token& stop);

/// A cost with two derivatives.
class CurvedProblem {
 public:
  virtual ~CurvedProblem() = default;

  /// Infinite if the cost is not defined at the point.
  virtual double cost(const VectorXd& at) const = 0;
  virtual CostParabola quadratic(const VectorXd& at) const = 0;

  /// Constants from which refinement can continue if no step gains any more; nullopt if there are
  /// none.
  virtual std::optional<VectorXd> wake(const VectorXd&) const { return {}; }
};

/// Newton's method in a box with Levenberg-Marquardt damping. If the Hessian is not positive
/// definite, the Gauss-Newton matrix replaces it. Never worse than the start.
Optimum minimise_by_damped_newton(const CurvedProblem& problem, const optimise::Bounds& box,
                                  const VectorXd& start, double gap_to_stop,
                                  const std::stop_token& stop);

}  // namespace perfmodel

namespace perfmodel::optimise {

/// The settings of L-BFGS-B (Zhu, Byrd, Lu and Nocedal 1997), with scipy's names and defaults.
struct QuasiNewtonOptions {
  std::size_t corrections = 10;  ///< pairs of steps and gradient changes that are kept
  std::size_t iterations = 15000;
  std::size_t evaluations = 15000;           ///< not exceeded by more than one gradient
  double reduction = 2.220446049250313e-09;  ///< stops below this share of max(|cost|, 1)
  double projected_gradient = 1e-5;          ///< stops below this largest component
  double difference = 1e-8;                  ///< step of the forward differences, if they are used
  std::stop_token stop = {};
};

struct QuasiNewtonResult {
  VectorXd best;
  double cost = 0;
  std::size_t iterations = 0;
  std::size_t evaluations = 0;
};

/// A cost with its gradient.
struct SmoothObjective {
  std::function<double(const VectorXd&)> cost;
  std::function<VectorXd()> gradient;  ///< at the point of the last cost
  std::size_t costs_of_gradient = 0;   ///< how many it takes
};

/// Limited-memory BFGS on a box, from a point of it: steps in the coordinates that are not held at
/// a bound by the gradient, projected onto the box and shortened until they gain enough (Bertsekas
/// 1982). Gradients are forward differences, backward ones at an upper bound. Never worse than the
/// start, never outside the box; the cost need not be smooth, but only a smooth one is minimised.
QuasiNewtonResult quasi_newton(const BatchObjective& objective, const Bounds& bounds,
                               const VectorXd& start, const QuasiNewtonOptions& options);

/// The same with the gradient of the objective.
QuasiNewtonResult quasi_newton(const SmoothObjective& objective, const Bounds& bounds,
                               const VectorXd& start, const QuasiNewtonOptions& options);

}  // namespace perfmodel::optimise
