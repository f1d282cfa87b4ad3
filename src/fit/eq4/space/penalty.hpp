#pragma once

#include <Eigen/Core>
#include <vector>

#include "fit/eq4/space/search_space.hpp"
#include "fit/task/weighted_rows.hpp"
#include "optimise/algebra/level_columns.hpp"
#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

/// The penalised constants as functions of the scaled ones, to first order.
struct PenalisedConstants {
  Eigen::VectorXd values;           ///< one per constant without C
  optimise::LevelMatrix gradients;  ///< by the scaled constants, one row per value
};

/// Eqs. (10) and (11): lambda times the sum of |x| or x^2 over all constants but C, in the units of
/// the loss.
///
/// Raw: x are the constants of model.json, as in the paper. Changing the unit of the time or of a
/// column then changes a, and with it what a lambda means. Scaled: x are the powers, and the a of
/// columns divided by their geometric means in units of the median time, and the sum counts in
/// units of the loss of that time; lambda then means the same for any unit.
class Regulariser {
 public:
  Regulariser(const SearchSpace& space, const WeightedRows& training, const FitOptions& options);

  bool active() const { return l1_ > 0 || l2_ > 0; }
  /// The lambdas in units of the loss.
  double l1() const { return l1_; }
  double l2() const { return l2_; }

  double operator()(const Eigen::VectorXd& scaled) const;
  PenalisedConstants linearise(const Eigen::VectorXd& scaled) const;

 private:
  GenericLayout layout_;
  double l1_;
  double l2_;
  double unit_ = 1;  ///< of the penalised coefficients
  /// The column of many levels, whose gradients stand apart: its first constant and their number.
  std::size_t first_level_ = 0;
  std::size_t levels_ = 0;
  /// What the logarithm of each column is shifted by between scaled and penalised constants.
  std::vector<double> intrinsic_shift_;
  std::vector<double> extrinsic_shift_;

  /// Penalised / scaled of a coefficient.
  double factor(std::size_t coefficient, const Eigen::VectorXd& scaled) const;
};

}  // namespace perfmodel
