#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <stop_token>

#include "optimise/algebra/arrow_matrix.hpp"
#include "optimise/algebra/bounds.hpp"

namespace perfmodel {

/// A cost near a point: cost + g'd + d'Hd/2.
struct CostParabola {
  Eigen::VectorXd gradient;
  ArrowMatrix hessian;
  /// Without the second derivatives of the predictions: never indefinite, but slow to converge
  /// where residuals remain.
  ArrowMatrix gauss_newton;
};

/// The curvature of l1 |v| + l2 v^2 at each value v, |v| being replaced by its tangent parabola
/// v^2 / (2 |v0|), which touches it from above.
Eigen::VectorXd tangent_curvature(const Eigen::VectorXd& values, double l1, double l2);

/// A cost with two derivatives.
class CurvedProblem {
 public:
  virtual ~CurvedProblem() = default;

  /// Infinite where it is not defined.
  virtual double cost(const Eigen::VectorXd& at) const = 0;
  virtual CostParabola quadratic(const Eigen::VectorXd& at) const = 0;

  /// The constants from which the finish can go on where no step gains any more.
  virtual std::optional<Eigen::VectorXd> wake(const Eigen::VectorXd&) const { return {}; }
};

/// Where the steps ended.
struct DampedNewtonResult {
  Eigen::VectorXd at;
  double cost = 0;
  /// What the last step still promised, as a share of the cost.
  double relative_gap = 0;
  std::size_t steps = 0;
  std::size_t evaluations = 0;
};

/// Newton's method in a box with Levenberg's and Marquardt's damping; where the Hessian is not
/// positive definite, the Gauss-Newton one stands in. Never worse than the start.
DampedNewtonResult minimise_by_damped_newton(const CurvedProblem& problem,
                                             const optimise::Bounds& box,
                                             const Eigen::VectorXd& start, double gap_to_stop,
                                             const std::stop_token& stop);

}  // namespace perfmodel
