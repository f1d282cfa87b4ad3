#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/eigen.hpp"
#include "forms/loss.hpp"
#include "perfmodel/design.hpp"
#include "perfmodel/objective.hpp"

namespace perfmodel {

/// Loss of each row; for a root of a mean, the term of the mean under it.
ArrayXd row_losses(const SignedLoss& loss, const VectorXd& measured, const VectorXd& predicted);

/// Derivatives of the row losses with respect to the predictions.
struct RowDerivatives {
  VectorXd slope;
  VectorXd curvature;         ///< second derivative; empty if the loss is convex
  VectorXd convex_curvature;  ///< second derivative of the convex part
};

RowDerivatives row_derivatives(Loss loss, const VectorXd& measured, const VectorXd& predicted);

/// The loss of predictions for measured times. Both have at least one row and are positive.
double loss_value(const SignedLoss& loss, const VectorXd& measured, const VectorXd& predicted);

/// Loss of an error of `time`, for losses that have a unit; 1 for the others.
double loss_of_time(Loss loss, double time);

/// True for means of absolute errors, whose optima fit some rows exactly.
bool is_absolute(Loss loss);
/// True for means of squared errors, and functions of them.
bool is_squared(Loss loss);
/// True for errors of ln(time).
bool is_logarithmic(Loss loss);
/// Per row, the weight of an error of the time: 1, or 1 / time for relative errors.
VectorXd deviation_weights(Loss loss, const VectorXd& measured);

/// To second order, the expected loss of a row changes by weights / 2 * change^2 with its
/// prediction, up to a factor. scores: standard deviation of the loss's derivative, divided by the
/// same factor and the root of the weight.
struct Curvature {
  VectorXd weights;
  VectorXd scores;
};

/// Assumes relative noise, which times have: r / y has the same distribution in all rows. The
/// curvature of an absolute loss is then the density of r / y at 0, divided by y (Koenker 2005,
/// section 3.2). It is estimated from the central half of the residuals: 1 / (4 median |r / y|).
Curvature curvature_of(Loss loss, const Design& runs, const VectorXd& predicted);

/// The training rows for search and local refinement; a row may represent several measured runs.
///
/// With weights w_i, losses l_i and scatter s, the mean loss of all runs for any predictions is
/// (sum_i w_i l_i + s) / sum_i w_i.
class WeightedRows {
 public:
  /// Each row with weight 1. Keeps a reference to the design.
  WeightedRows(const Design& design);  // implicit: a design is rows of weight 1

  /// Merges rows with equal inputs and time; for squared losses, rows with equal inputs:
  /// sum_k (t_k - y)^2 = n (m - y)^2 + sum_k (t_k - m)^2 for n times with mean m (for rmsle, of
  /// logarithms). Returns the design's own rows if merging does not pay, and keeps a reference to
  /// it.
  static WeightedRows merged(const Design& design, Loss loss);

  /// The chosen rows with their weights.
  WeightedRows take(std::span<const std::size_t> rows) const;

  /// The same weights with other values of the rows.
  WeightedRows with(Design design) const;

  const Design& design() const { return own_ ? *own_ : *measured_; }
  /// All measured runs, also if this is a subset of the rows.
  const Design& measured() const { return *measured_; }
  std::size_t size() const { return design().rows; }

  /// Runs per row divided by their common divisor; empty if all are 1.
  const VectorXd& weights() const { return weights_; }
  double weight(std::size_t row) const;
  double total_weight() const { return total_weight_; }
  /// Irreducible loss from different times in one row, in units of weight 1.
  double scatter() const { return total_scatter_; }

 private:
  const Design* measured_;
  std::optional<Design> own_;
  VectorXd weights_;
  VectorXd scatter_;  ///< per row; empty if there is none
  double total_weight_;
  double total_scatter_ = 0;

  void count(const VectorXd& runs, const VectorXd& scatter);
};

}  // namespace perfmodel
