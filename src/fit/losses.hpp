#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>

#include "forms/loss.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// What each row adds to the mean; of a root to the mean under it.
Eigen::ArrayXd row_losses(Loss loss, const Eigen::VectorXd& measured,
                          const Eigen::VectorXd& predicted);

/// Derivatives of the row losses by the predictions.
struct RowDerivatives {
  Eigen::VectorXd slope;
  Eigen::VectorXd curvature;         ///< empty: nothing bends downwards
  Eigen::VectorXd convex_curvature;  ///< without what bends downwards
};

RowDerivatives row_derivatives(Loss loss, const Eigen::VectorXd& measured,
                               const Eigen::VectorXd& predicted);

/// The loss of predictions for measured times. Both have at least one row and are positive.
double loss_value(Loss loss, const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted);

/// The same of rows that may stand for several runs.
double loss_value(Loss loss, const Design& runs, const Eigen::VectorXd& predicted);

/// The loss of being wrong by `time`, for the losses that have a unit; 1 for the others.
double loss_of_time(Loss loss, double time);

/// Means of absolute errors: their optima lie where some rows are met exactly.
bool is_absolute(Loss loss);
/// Means of squared errors, or functions of them.
bool is_squared(Loss loss);
/// Errors of ln(time).
bool is_logarithmic(Loss loss);
/// The root of a mean.
bool is_root(Loss loss);
/// What an error of the time counts in each row, beside others.
Eigen::VectorXd deviation_weights(Loss loss, const Eigen::VectorXd& measured);

/// The expected loss of one row, to second order in its prediction, is weights / 2 * change^2, up
/// to a factor; scores are its derivative's standard deviation over the same factor and the root of
/// the weight.
struct Curvature {
  Eigen::VectorXd weights;
  Eigen::VectorXd scores;
};

/// Noise is taken to be relative, as that of times is: r / y has one distribution. An absolute
/// loss then curves by its density at 0 over y (Koenker 2005, section 3.2), and the density is that
/// of the central half of the residuals: 1 / (4 median |r / y|).
Curvature curvature_of(Loss loss, const Eigen::VectorXd& measured,
                       const Eigen::VectorXd& predicted);

/// The same of rows that may stand for several runs: weights of all of them together, scores of
/// each.
Curvature curvature_of(Loss loss, const Design& runs, const Eigen::VectorXd& predicted);

/// The training rows as the search and its exact finish see them: one row may stand for several
/// measured runs.
///
/// With weights w_i, loss l and the scatter s, the mean loss of all runs is
/// (sum_i w_i l_i + s) / sum_i w_i, whatever the predictions.
class WeightedRows {
 public:
  /// Every row of the design, which must outlive this, for itself, whatever it stands for.
  WeightedRows(const Design& design);  // not explicit: a design is rows of weight 1

  /// Rows that are equal in inputs and time made one. Of squared losses, rows that are equal in
  /// their inputs alone: sum_k (t_k - y)^2 = n (m - y)^2 + sum_k (t_k - m)^2 of their n times with
  /// the mean m, of rmsle in logarithms. The rows of the design as they are where too few are equal
  /// for it to pay; it must outlive this. Of a design whose rows are merged, the same to the last
  /// bit.
  static WeightedRows merged(const Design& design, Loss loss);

  /// The chosen rows with their weights.
  WeightedRows take(std::span<const std::size_t> rows) const;

  /// The same rows in another form, with the same weights.
  WeightedRows with(Design design) const;

  const Design& design() const { return own_ ? *own_ : *measured_; }
  /// All runs as they were measured, also of a part of the rows.
  const Design& measured() const { return *measured_; }
  std::size_t size() const { return design().rows; }

  /// Runs per row, without their common divisor; empty where that leaves 1 everywhere.
  const Eigen::VectorXd& weights() const { return weights_; }
  double weight(std::size_t row) const;
  double total_weight() const { return total_weight_; }
  /// The loss that no prediction can remove, since runs of one row differ; in units of weight 1.
  double scatter() const { return total_scatter_; }

 private:
  const Design* measured_;
  std::optional<Design> own_;
  Eigen::VectorXd weights_;
  Eigen::VectorXd scatter_;  ///< per row; empty where there is none
  double total_weight_;
  double total_scatter_ = 0;

  static WeightedRows one_by_one(const Design& design);
  void count(const Eigen::VectorXd& runs, const Eigen::VectorXd& scatter);
};

}  // namespace perfmodel
