#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "fit/finish.hpp"
#include "fit/sum_terms.hpp"
#include "fit/term_search.hpp"
#include "optimise/algebra.hpp"
#include "perfmodel/model.hpp"

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
class SumGoal : public PenaltyTerms {
 public:
  /// `ridge`: 0 where the loss is one that was asked for.
  SumGoal(const TermCoordinates& coordinates, const SumShape& shape, const FitOptions& options,
          double ridge);

  Loss loss() const { return loss_; }
  /// u = penalised * x; rows only where something is penalised.
  const Eigen::MatrixXd& penalised() const { return penalised_; }
  /// Powers from -5 to 5; 0 where a coordinate is held there; everything else as far as numbers go.
  const optimise::Bounds& box() const { return box_; }

  /// Leaves a coordinate at a value.
  void hold(Eigen::Index coordinate, double value) {
    box_.lower[coordinate] = box_.upper[coordinate] = value;
  }

  PenalisedConstants linearise(const Eigen::VectorXd& x) const override;
  /// With exactly 0 where an L1 penalty has brought all that a coordinate takes part in next to 0.
  Eigen::VectorXd without_traces(const Eigen::VectorXd& x) const;

 private:
  Loss loss_;
  Eigen::MatrixXd penalised_;
  optimise::Bounds box_;
};

/// C in place of its logarithm, moved into the box; and the way back.
Eigen::VectorXd finish_coordinates(const SumShape& shape, const SumGoal& goal,
                                   Eigen::VectorXd theta);
Eigen::VectorXd search_coordinates(const SumShape& shape, Eigen::VectorXd x);

/// The gap at which a finish stops: what its last step still promised, as a share of the cost.
inline constexpr double kSumGap = 1e-10;
/// The same of the optimum that is kept: below it predictions, too, are the same in other units.
inline constexpr double kSettledSumGap = 1e-15;

/// Loss plus penalties of a sum at coordinates of a search, in units of the typical time.
double goal_cost(const TermData& data, const SumShape& shape, const SumGoal& goal,
                 const Eigen::VectorXd& theta);

/// finish() of a sum, from `start` moved into the box. The fit's cost is that of the goal.
SumFit finish(const TermData& data, const SumShape& shape, const SumGoal& goal, const SumFit& start,
              const DescentOptions& options, double gap_to_stop = kSumGap);

/// A sum of one shape, and what its constants shall minimise.
struct GoalTask {
  const TermData& data;
  const SumShape& shape;
  const SumGoal& goal;
  const FitOptions& options;
  std::size_t starts = 1;
};

/// The best optimum of the goal that several starts lead to: from `start`, which a search under
/// another loss has found, and from what is left of the best so far when one of its terms is thrown
/// anew.
SumFit minimise_goal(const GoalTask& task, const Eigen::VectorXd& start);

struct SimplifyTask {
  const TermCoordinates& coordinates;
  const FitOptions& options;
  std::vector<std::size_t> logarithmic;  ///< numeric columns of which log2 may be taken
  std::size_t scales;                    ///< numeric columns that are extrinsic, the first ones
};

/// A sum of which some powers are what a simplification has made them.
struct SimpleSum {
  SumShape shape;
  SumFit fit;
  double ridge = 0;
};

/// The fit with what the runs do not ask for taken away: an input that changes nothing plays no
/// part, a term that nothing is left of is a C, a power that the runs cannot tell from a plain one
/// is that; in sums of few terms also with another power of log2(n) beside it, and with a C. Each
/// time all other constants are fitted anew.
///
/// Of all these the one with the least Bayesian information criterion (Schwarz 1978) is taken, for
/// errors like those of Laplace's distribution: a constant may go where that raises the loss of n
/// runs by no more than the factor n^(1 / 2n). The loss of each row must be relative to its time,
/// as that of logarithms is. Runs that the sum tells to the last digits are fitted without the
/// ridge.
SimpleSum simplified(const SimplifyTask& task, const SimpleSum& sum);

}  // namespace perfmodel
