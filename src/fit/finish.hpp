#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <stop_token>

#include "fit/losses.hpp"
#include "optimise/algebra.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// A model and its derivatives J by the constants at one place (rows x constants).
class LinearisedModel {
 public:
  virtual ~LinearisedModel() = default;

  const Eigen::VectorXd& predicted() const { return predicted_; }
  virtual optimise::LevelMatrix jacobian() const = 0;
  /// J'v.
  virtual Eigen::VectorXd slopes(const Eigen::VectorXd& v) const = 0;
  /// J' diag(weights) J.
  virtual ArrowMatrix gram(const Eigen::VectorXd& weights) const = 0;
  /// Second derivatives of the rows' predictions, summed with these weights.
  virtual ArrowMatrix bend(const Eigen::VectorXd& weights) const = 0;

 protected:
  Eigen::VectorXd predicted_;
};

/// Times of rows as a smooth function of constants in a box: what a form tells its finish.
class SmoothModel {
 public:
  virtual ~SmoothModel() = default;

  virtual Eigen::VectorXd predict(const Eigen::VectorXd& at) const = 0;
  virtual std::unique_ptr<LinearisedModel> linearised(const Eigen::VectorXd& at) const = 0;

  virtual const optimise::Bounds& box() const = 0;
  /// Whether only positive times can be meant.
  virtual bool is_positive() const { return false; }

  /// The steps from these constants that stay in the box and in a trust region. That holds the
  /// constants in which the model is curved, and all penalised ones where the penalty is.
  virtual optimise::Bounds around(const Eigen::VectorXd& at, double radius,
                                  bool curved_penalty) const = 0;
  /// How far a step moves what the trust region always holds, and whether that is all that is
  /// curved.
  virtual double length(const Eigen::VectorXd& step) const = 0;
  virtual bool holds_all_curved(bool /*curved_penalty*/) const { return true; }

  /// Moved into the box. A step to a bound must arrive there: what rounding has left is taken away.
  /// `effects`: how much a change of each constant changes the cost, at most.
  virtual Eigen::VectorXd inside(const Eigen::VectorXd& at, const Eigen::VectorXd& effects,
                                 double cost) const = 0;

  /// Constants at which the predictions are the same and from which a finish can go on where no
  /// step gains any more. `pull`: how the cost changes with each prediction, up to a factor.
  virtual std::optional<Eigen::VectorXd> wake(const Eigen::VectorXd& /*at*/,
                                              const Eigen::VectorXd& /*pull*/) const {
    return {};
  }
};

/// Quantities that a penalty counts, as functions of the constants to first order.
struct PenalisedConstants {
  Eigen::VectorXd values;
  optimise::LevelMatrix gradients;  ///< one row per value
};

/// l1 sum_k |u_k| + l2 sum_k u_k^2, in units of the loss.
class PenaltyTerms {
 public:
  virtual ~PenaltyTerms() = default;
  virtual PenalisedConstants linearise(const Eigen::VectorXd& at) const = 0;

  bool active() const { return l1_ > 0 || l2_ > 0; }
  double l1() const { return l1_; }
  double l2() const { return l2_; }
  double operator()(const Eigen::VectorXd& at) const {
    if (!active())
      return 0;
    const Eigen::VectorXd u = values(at);
    return (l1_ > 0 ? l1_ * u.lpNorm<1>() : 0) + (l2_ > 0 ? l2_ * u.squaredNorm() : 0);
  }

 protected:
  PenaltyTerms(double l1, double l2) : l1_(l1), l2_(l2) {}
  virtual Eigen::VectorXd values(const Eigen::VectorXd& at) const { return linearise(at).values; }

  double l1_;
  double l2_;
};

/// Measured times. With weights w_i, losses l_i and the scatter s, the mean loss of all runs is
/// (sum_i w_i l_i + s) / sum_i w_i.
struct MeasuredRows {
  const Eigen::VectorXd& time;
  Eigen::VectorXd shares;  ///< w_i / sum_i w_i
  double scatter = 0;      ///< s / sum_i w_i

  MeasuredRows(const WeightedRows& rows);  // not explicit: they are rows
  explicit MeasuredRows(const Eigen::VectorXd& time);
};

/// Gaps at which a finish stops: for the result, and for what another finish goes on from.
inline constexpr double kExactGap = 1e-12;
inline constexpr double kLooseGap = 1e-6;
/// Enough to tell one of many attempts from a better one.
inline constexpr double kRoughGap = 1e-3;

/// Walks from `start` down to where no step in the box gains to first order, by sequential linear
/// programming, under losses of absolute errors; to second order, by Newton's method, under the
/// others. Never worse than the start, never outside the box. `gap_to_stop`: the relative gap that
/// is left at most, where the steps suffice.
Optimum finish(const SmoothModel& model, const MeasuredRows& rows, Loss loss,
               const PenaltyTerms& penalty, const Eigen::VectorXd& start, double gap_to_stop,
               const std::stop_token& stop);

}  // namespace perfmodel
