#pragma once

#include <Eigen/Core>
#include <optional>

#include "fit/eq4/finish/scaled_model.hpp"
#include "fit/eq4/space/search_space.hpp"
#include "fit/task/weighted_rows.hpp"
#include "optimise/algebra/arrow_matrix.hpp"
#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

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

}  // namespace perfmodel
