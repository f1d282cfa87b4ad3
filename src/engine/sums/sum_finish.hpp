#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "search/finish.hpp"
#include "sums/term_search.hpp"

namespace perfmodel {

/// Largest magnitude of a power of a sum, as of Eq. (4).
inline constexpr double kWidestSumPower = 5;

/// Objective of the constants of a sum of product terms over the training rows:
///
///     loss + l1 sum_j |u_j| + l2 sum_j u_j^2 + ridge sum_j u_j^2
///
/// u: the powers of every term and the logarithms of its factors, each relative to the mean of its
/// column. They have no units, nor has a lambda: the penalties are in units of the loss of the
/// typical time.
///
/// The coordinates x are those of TermCoordinates, except that C itself, in units of the typical
/// time, replaces its logarithm, so that it can be 0.
class SumGoal : public PenaltyTerms {
 public:
  /// `ridge`: 0 if the user chose the loss.
  SumGoal(const TermCoordinates& coordinates, const SumShape& shape, const FitOptions& options,
          double ridge);

  const SignedLoss& loss() const { return loss_; }
  /// Powers in [-5, 5]; a fixed coordinate at 0; all others bounded by the range of numbers.
  const optimise::Bounds& box() const { return box_; }

  /// Fixes a coordinate at a value.
  void hold(Index coordinate, double value) {
    box_.lower[coordinate] = box_.upper[coordinate] = value;
  }

  PenalisedConstants linearise(const VectorXd& x) const override;
  /// Sets coordinates to 0 if an L1 penalty has shrunk all their combinations to nearly 0.
  VectorXd without_traces(const VectorXd& x) const;

 private:
  SignedLoss loss_;
  optimise::RowMatrix penalised_;  ///< that of u = penalised * x; no rows if nothing is
  optimise::Bounds box_;
};

/// Gap at which a local refinement stops: predicted gain of its last step, as a share of the cost.
inline constexpr double kSumGap = 1e-10;
/// Gap for the final optimum: below it, predictions are also the same in other units.
inline constexpr double kSettledSumGap = 1e-15;

/// Local refinement of a sum from `start`, clamped to the box. The cost is that of the goal.
SumFit finish(const TermData& data, const SumShape& shape, const SumGoal& goal, const SumFit& start,
              const FitOptions& options, double gap_to_stop = kSumGap);

/// The second derivatives of the goal at a fit, in the coordinates of the refinement: with C in
/// place of ln C.
SymmetricMatrix curvature_at(const TermData& data, const SumShape& shape, const SumGoal& goal,
                             const SumFit& at, const FitOptions& options);

/// The rise of a goal from its minimum, whose second derivatives are given, if some coordinates are
/// moved and the others follow: half the product of the move with the Schur complement. `fixed`:
/// true for those that are moved and those that cannot follow. Nullopt if the goal is not convex in
/// the others.
std::optional<double> rise_by_move(const SymmetricMatrix& curvature, const std::vector<bool>& fixed,
                                   const VectorXd& move, const std::stop_token& stop);

/// A sum of one shape and the objective of its constants.
struct GoalTask {
  const TermData& data;
  const SumShape& shape;
  const SumGoal& goal;
  const FitOptions& options;
  std::size_t starts = 1;
};

/// Returns the best optimum of several starts: from `start`, the result of a search under another
/// loss, and from the best so far with one term replaced at random.
SumFit minimise_goal(const GoalTask& task, const VectorXd& start);

}  // namespace perfmodel
