#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "optimise/algebra.hpp"
#include "search/losses.hpp"

namespace perfmodel {

/// Predictions of a model and their Jacobian J (rows x constants) at one point.
class LinearisedModel {
 public:
  virtual ~LinearisedModel() = default;

  const VectorXd& predicted() const { return predicted_; }
  virtual optimise::RowMatrix jacobian() const { return jacobian_; }
  /// J'v.
  virtual VectorXd slopes(const VectorXd& v) const { return jacobian_.transposed_times(v); }
  /// J' diag(weights) J.
  virtual SymmetricMatrix gram(const VectorXd& weights) const {
    return perfmodel::gram(jacobian_, weights);
  }
  /// Second derivatives of the predictions, summed over the rows with these weights.
  virtual SymmetricMatrix bend(const VectorXd& weights) const = 0;
  /// gram(weights) + bend(bends), which a form may find together.
  virtual SymmetricMatrix hessian(const VectorXd& weights, const VectorXd& bends) const {
    SymmetricMatrix out = gram(weights);
    out.add(1, bend(bends));
    return out;
  }

 protected:
  VectorXd predicted_;
  optimise::RowMatrix jacobian_;  ///< unless a form finds what it is needed for in another way
};

/// Times of rows as a smooth function of constants in a box: what local refinement needs of a form.
class SmoothModel {
 public:
  virtual ~SmoothModel() = default;

  virtual VectorXd predict(const VectorXd& at) const = 0;
  virtual std::unique_ptr<LinearisedModel> linearised(const VectorXd& at) const = 0;

  virtual const optimise::Bounds& box() const = 0;
  /// True if a prediction is only valid if it is positive.
  virtual bool is_positive() const { return false; }

  /// Bounds of the steps from `at` in the box and the trust region.
  optimise::Bounds around(const VectorXd& at, double radius, bool curved_penalty) const {
    const VectorXd most = reach(at, radius, curved_penalty);
    return {(box().lower - at).cwiseMax(-most).cwiseMin(0),
            (box().upper - at).cwiseMin(most).cwiseMax(0)};
  }
  /// The longest steps in the trust region, which limits the constants in which the model is
  /// curved, and with `curved_penalty` all penalised ones.
  virtual VectorXd reach(const VectorXd& at, double radius, bool curved_penalty) const = 0;
  /// Length of a step in the constants that the trust region always limits. holds_all_curved() is
  /// true if no others are curved.
  virtual double length(const VectorXd& step) const = 0;
  virtual bool holds_all_curved(bool /*curved_penalty*/) const { return true; }

  /// Clamps to the box. A step to a bound must arrive exactly: a remainder from rounding is
  /// removed. `effects`: upper bound of the change of the cost per change of each constant.
  virtual VectorXd inside(const VectorXd& at, const VectorXd& effects, double cost) const = 0;

  /// Constants with the same predictions from which refinement can continue if no step gains any
  /// more; nullopt if there are none. `pull`: derivative of the cost with respect to each
  /// prediction, up to a factor.
  virtual std::optional<VectorXd> wake(const VectorXd& /*at*/, const VectorXd& /*pull*/) const {
    return {};
  }
};

/// The penalised quantities, linearised in the constants.
struct PenalisedConstants {
  VectorXd values;
  optimise::RowMatrix gradients;  ///< one row per value
};

/// l1 sum_k |u_k| + l2 sum_k u_k^2, in units of the loss.
class PenaltyTerms {
 public:
  virtual ~PenaltyTerms() = default;
  virtual PenalisedConstants linearise(const VectorXd& at) const = 0;

  bool active() const { return l1_ > 0 || l2_ > 0; }
  double l1() const { return l1_; }
  double l2() const { return l2_; }
  double operator()(const VectorXd& at) const {
    if (!active())
      return 0;
    const VectorXd u = values(at);
    return (l1_ > 0 ? l1_ * u.lpNorm<1>() : 0) + (l2_ > 0 ? l2_ * u.squaredNorm() : 0);
  }

 protected:
  PenaltyTerms(double l1, double l2) : l1_(l1), l2_(l2) {}
  virtual VectorXd values(const VectorXd& at) const { return linearise(at).values; }

  double l1_;
  double l2_;
};

/// Measured times with weights w_i, losses l_i and scatter s: the mean loss of all runs is
/// (sum_i w_i l_i + s) / sum_i w_i.
struct MeasuredRows {
  const VectorXd& time;
  VectorXd shares;     ///< w_i / sum_i w_i
  double scatter = 0;  ///< s / sum_i w_i

  MeasuredRows(const WeightedRows& rows);  // implicit, since these are rows
  explicit MeasuredRows(const VectorXd& time);
};

/// The loss of all runs, infinite if a prediction is not finite or, if they must be `positive`, not
/// above 0.
double mean_loss(const MeasuredRows& rows, const SignedLoss& loss, const VectorXd& predicted,
                 bool positive);

/// Relative gaps at which refinement stops: for the final result, and for an intermediate one.
inline constexpr double kExactGap = 1e-12;
inline constexpr double kLooseGap = 1e-6;
/// Sufficient to compare many attempts.
inline constexpr double kRoughGap = 1e-3;

/// Local refinement from `start` in the box: for absolute losses by sequential linear programming,
/// until no step gains to first order; for the others by Newton's method, to second order. Never
/// worse than the start. `gap_to_stop`: largest relative gap left, if the steps suffice.
Optimum finish(const SmoothModel& model, const MeasuredRows& rows, const SignedLoss& loss,
               const PenaltyTerms& penalty, const VectorXd& start, double gap_to_stop,
               const std::stop_token& stop);

/// The second derivatives of loss and penalty at a point. The loss must not be an absolute one.
SymmetricMatrix curvature_at(const SmoothModel& model, const MeasuredRows& rows,
                             const SignedLoss& loss, const PenaltyTerms& penalty,
                             const VectorXd& at);

}  // namespace perfmodel
