#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <vector>

#include "fit/losses.hpp"
#include "fit/search_space.hpp"
#include "optimise/algebra.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// Eq. (4) in scaled constants, with its derivatives: what the exact finish works on.
class ScaledModel {
 public:
  ScaledModel(const Design& design, const SearchSpace& space);

  /// Predicted time of every row.
  Eigen::VectorXd predict(const Eigen::VectorXd& scaled) const;

  /// The same, and its derivatives by the scaled constants (rows x constants). Those of a column of
  /// many levels stand apart.
  Eigen::VectorXd linearise(const Eigen::VectorXd& scaled, optimise::LevelMatrix& jacobian) const;

  /// Second derivatives of the rows' predictions, summed with these weights (constants x
  /// constants), from the `jacobian` at the same constants: each power multiplies a derivative by
  /// the logarithm of its column, and Eq. (4) has no others.
  ArrowMatrix curvature(const optimise::LevelMatrix& jacobian,
                        const Eigen::VectorXd& weights) const;

 private:
  struct Parts;
  Parts parts(const Eigen::VectorXd& scaled) const;
  optimise::LevelMatrix empty_jacobian() const;

  const Design& design_;
  GenericLayout layout_;
  std::optional<std::size_t> many_levels_;           ///< the column whose levels stand apart
  std::vector<std::vector<double>> intrinsic_logs_;  ///< per column and distinct value
  std::vector<std::vector<double>> extrinsic_logs_;
};

/// Steps of scaled constants in their box, under a loss of absolute errors.
class ScaledSteps {
 public:
  explicit ScaledSteps(const SearchSpace& space)
      : box_(space.scaled()),
        constants_(box_.lower.size()),
        first_power_(static_cast<Eigen::Index>(space.layout().intrinsic_power(0))) {}

  /// The trust region around constants holds the powers; the model is linear in a and C. Only a
  /// squared penalty, which is curved in a, holds a too.
  optimise::Bounds around(const Eigen::VectorXd& at, double radius, bool holds_a) const;

  /// In the box. A step to a bound must arrive there: a coefficient whose term moves the cost by
  /// less than rounding is a 0 that rounding has missed. How much it moves depends on its column
  /// (`effects`): a coefficient of 1e-14 counts where I^p is 1e10.
  Eigen::VectorXd inside(const Eigen::VectorXd& scaled, const Eigen::VectorXd& effects,
                         double cost) const;

  /// How far a step moves the powers.
  double length(const Eigen::VectorXd& step) const;

 private:
  optimise::Bounds box_;
  Eigen::Index constants_;
  Eigen::Index first_power_;
};

/// What a squared loss and its derivatives are made of: sums over the rows times `factor`, but for
/// `bend`.
struct SquareSums {
  double root = 1;    ///< of the mean square, of a loss that is one
  double factor = 0;  ///< d loss = -factor * sum w r dy
  Eigen::VectorXd gradient;
  ArrowMatrix gauss_newton;
  ArrowMatrix bend;          ///< second derivatives of the predictions
  ArrowMatrix of_logarithm;  ///< of the loss rmsle, whose residuals bend with ln y
};

/// The rows of a squared loss; they outlive this, as the space does.
class SquaredRows {
 public:
  SquaredRows(const WeightedRows& rows, const SearchSpace& space, Loss loss);

  /// Over all runs; of rmsle that of the logarithms.
  double mean_square(const Eigen::VectorXd& scaled) const;
  SquareSums sums(const Eigen::VectorXd& scaled) const;
  /// See wake_idle_terms().
  std::optional<Eigen::VectorXd> wake(const Eigen::VectorXd& scaled) const;

 private:
  const WeightedRows& rows_;
  const Design& training_;
  const SearchSpace& space_;
  bool logarithmic_;
  ScaledModel model_;

  Eigen::VectorXd residuals(const Eigen::VectorXd& predicted) const;
  Eigen::VectorXd weighted(const Eigen::VectorXd& residual) const;
  double square_sum_of(const Eigen::VectorXd& residual) const;
  void add_derivatives(const Eigen::VectorXd& predicted, const Eigen::VectorXd& residual,
                       optimise::LevelMatrix& jacobian, SquareSums& out) const;
};

/// Looks for powers at which terms that have left the model would come back.
///
/// A term a I^p with a = 0 has no slope in p: a local finish leaves it out for good, whatever other
/// powers promise. But its slope in a is known for every p of the box, so that all powers can be
/// tried at once: where the steepest of a grid, for a term of one size, is downhill, the term is
/// given that power.
///
/// `scaled` are constants at an optimum, and `pull` says per row how the cost changes with the
/// predicted time (d cost / d y). Returns the constants with new powers of idle terms, at which the
/// predictions are the same; nothing where no idle term would pay.
std::optional<Eigen::VectorXd> wake_idle_terms(const Design& training, const SearchSpace& space,
                                               const Eigen::VectorXd& scaled,
                                               const Eigen::VectorXd& pull);

/// Where the exact finish ended.
struct PolishResult {
  Eigen::VectorXd scaled;
  double cost = 0;
  /// What one more step could gain to first order within its trust region, as a share of the cost.
  double relative_gap = 0;
  std::size_t steps = 0;
  std::size_t evaluations = 0;
};

/// Gaps at which a finish stops: for the result, and for what another finish goes on from.
inline constexpr double kExactGap = 1e-12;
inline constexpr double kLooseGap = 1e-6;
/// Enough to tell one of many attempts from a better one.
inline constexpr double kRoughGap = 1e-3;

/// Walks from `start` (scaled constants) down to where no step in the box gains to first order: by
/// sequential linear programming for losses of absolute errors, by damped least squares for squared
/// ones. The result is never worse than the start and never outside the box. `gap_to_stop`: the
/// relative gap that is left at most, where the steps suffice.
PolishResult polish(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                    const FitOptions& options, const Eigen::VectorXd& start,
                    double gap_to_stop = kExactGap);

PolishResult polish_absolute(const WeightedRows& rows, const SearchSpace& space,
                             const Regulariser& penalty, const FitOptions& options,
                             const Eigen::VectorXd& start, double gap_to_stop);
PolishResult polish_squared(const WeightedRows& rows, const SearchSpace& space,
                            const Regulariser& penalty, const FitOptions& options,
                            const Eigen::VectorXd& start, double gap_to_stop);

}  // namespace perfmodel
