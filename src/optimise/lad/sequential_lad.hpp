#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <stop_token>

#include "optimise/lad/least_absolute_deviations.hpp"

namespace perfmodel {

/// A sum of absolute deviations of a smooth model, as a sequence of problems of linear models sees
/// it: one per step, in the changes of the constants.
class LinearisedRows {
 public:
  virtual ~LinearisedRows() = default;

  virtual double cost(const Eigen::VectorXd& at) const = 0;
  virtual void linearise_at(const Eigen::VectorXd& at) = 0;

  /// The problem within the trust region; `constant` is what its cost holds on top of the model's.
  virtual optimise::LadProblem problem(double radius, double& constant) const = 0;

  /// The change of the constants that brings the residuals of the step's active rows back to zero
  /// where the curvature of the model has moved them: a second-order correction.
  virtual Eigen::VectorXd correction(const optimise::LadResult& step,
                                     const Eigen::VectorXd& trial) const = 0;

  /// In the box; the cost says how much a change is worth.
  virtual Eigen::VectorXd inside(const Eigen::VectorXd& at, double cost) const = 0;

  /// The constants from which the finish can go on where no step gains any more.
  virtual std::optional<Eigen::VectorXd> wake(const optimise::LadResult&) const { return {}; }

  /// How far a step moves what the trust region holds.
  virtual double length(const Eigen::VectorXd& step) const = 0;

  /// Whether a step that fails also tells how large the region may be: where something curved is
  /// not held by its radius alone, it does not.
  virtual bool length_bounds_radius() const { return true; }
};

/// Where a sequence of linear problems ended.
struct SequentialLadResult {
  Eigen::VectorXd at;
  double cost = 0;
  /// What one more step could gain to first order within its trust region, as a share of the cost.
  double relative_gap = 0;
  std::size_t steps = 0;
  std::size_t evaluations = 0;
};

/// Sequential linear programming: each step solves the linearised problem exactly within a trust
/// region (Osborne and Watson 1971; trust regions after Fletcher 1981). Never worse than the start.
SequentialLadResult minimise_by_sequential_lad(LinearisedRows& problem,
                                               const Eigen::VectorXd& start, double gap_to_stop,
                                               const std::stop_token& stop);

}  // namespace perfmodel
