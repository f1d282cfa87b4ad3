#pragma once

#include <Eigen/Core>

#include "fit/sum/terms/term_data.hpp"
#include "optimise/algebra/bounds.hpp"
#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

/// Powers of a sum reach as far as those of Eq. (4).
inline constexpr double kWidestSumPower = 5;

/// What the constants of a sum of product terms shall minimise over the training rows:
///
///     loss + l1 sum_j |u_j| + l2 sum_j u_j^2 + ridge sum_j u_j^2
///
/// u: the powers of every term and the logarithms of its factors, each relative to the mean of its
/// column. They are free of units, and so is a lambda: the sums count in units of the loss of the
/// typical time.
///
/// In the coordinates x of a finish: those of TermCoordinates, but C itself, in units of the
/// typical time, in place of its logarithm, so that it can be 0.
class SumGoal {
 public:
  /// `ridge`: 0 where the loss is one that was asked for.
  SumGoal(const TermCoordinates& coordinates, const SumShape& shape, const FitOptions& options,
          double ridge);

  Loss loss() const { return loss_; }
  double l1() const { return l1_; }
  /// Of both squared sums.
  double l2() const { return l2_; }
  /// u = penalised * x; rows only where something is penalised.
  const Eigen::MatrixXd& penalised() const { return penalised_; }
  /// Powers from -5 to 5; 0 where a coordinate is held there; everything else as far as numbers go.
  const optimise::Bounds& box() const { return box_; }

  /// Leaves a coordinate at a value.
  void hold(Eigen::Index coordinate, double value) {
    box_.lower[coordinate] = box_.upper[coordinate] = value;
  }

  double penalty(const Eigen::VectorXd& x) const;
  /// With exactly 0 where an L1 penalty has brought all that a coordinate takes part in next to 0.
  Eigen::VectorXd without_traces(const Eigen::VectorXd& x) const;

 private:
  Loss loss_;
  double l1_;
  double l2_;
  Eigen::MatrixXd penalised_;
  optimise::Bounds box_;
};

/// C in place of its logarithm, moved into the box; and the way back.
Eigen::VectorXd finish_coordinates(const SumShape& shape, const SumGoal& goal,
                                   Eigen::VectorXd theta);
Eigen::VectorXd search_coordinates(const SumShape& shape, Eigen::VectorXd x);

}  // namespace perfmodel
