#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "fit/search_space.hpp"
#include "optimise/algebra.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

// With what width a constant can be quoted: see Identifiability.
inline constexpr double kNormalQuantile = 1.959963984540054;  // of 97.5 %
inline constexpr double kWidestPower = 0.5;
inline constexpr double kWidestShareOfValue = 0.5;
inline constexpr double kWidestShareOfTime = 0.1;

/// What the training rows say about the constants of a fitted model: which can be quoted, and why
/// the others cannot.
struct Findings {
  Identifiability identifiability;
  std::vector<Warning> warnings;  ///< at_bound, flat_direction, negligible_term, undetermined
};

/// Of Eq. (4); `scaled` are the constants of `model` in scaled form.
Findings identify(const FittedModel& model, const Design& training, const SearchSpace& space,
                  const FitOptions& options, const Eigen::VectorXd& scaled);

/// How a constant stands at the optimum, before anything is asked about the others.
enum class Standing {
  free,
  fixed,      ///< its bounds are equal
  at_zero,    ///< a coefficient or C at its lower bound 0
  at_bound,   ///< at another bound
  idle,       ///< the power of a term whose coefficient is 0
  untrained,  ///< no training row depends on it
};

/// The training rows' Jacobian J at the optimum, weighted by the curvature W of their losses.
struct NormalEquations {
  std::size_t rows = 0;
  std::vector<Standing> standings;
  std::vector<bool> left_out;  ///< constants that do not count
  ArrowMatrix normal;          ///< J'WJ
  ArrowMatrix scores;          ///< J'WSSJ, S being the scores of Curvature
};

/// The training rows' Jacobian at the optimum, as its normal equations: what can be said to first
/// order about directions in which the predictions do not change, and about standard errors.
///
/// Vectors over constants are in the order of the model's layout. Directions are in the constants
/// that it is linearised in: scaled ones of Eq. (4); of a sum those of sum_sensitivity().
class Sensitivity {
 public:
  /// Constants that no row depends on are left out. Once a stop is requested, this and what takes
  /// long of the others throw Interrupted.
  explicit Sensitivity(NormalEquations equations, std::stop_token stop = {});

  const std::vector<Standing>& standings() const { return standings_; }
  /// Length of the change of the predictions, to first order, where the scaled constants move along
  /// `direction`.
  double effect(const Eigen::VectorXd& direction) const;
  /// A basis of the flat directions of constants that are not in `held` (one column per direction;
  /// lengths are in change of the predictions). Each has an entry of 1 where the others have 0.
  Eigen::MatrixXd flat_directions(const std::vector<bool>& held) const;
  /// The gradient without the constants that are left out.
  Eigen::VectorXd of_coordinates(const Eigen::VectorXd& gradient) const;
  /// Whether no flat direction moves a quantity with this gradient by the scaled constants.
  bool is_estimable(const Eigen::VectorXd& gradient) const;
  /// Standard error of such a quantity by the sandwich of an M-estimator (Huber 1967; for squares
  /// that is White's of 1980, for absolute errors Koenker's), with the constants at bounds held
  /// there. Infinite where there are no more rows than constants.
  double standard_error(const Eigen::VectorXd& gradient) const;

 private:
  std::stop_token stop_;
  std::vector<Standing> standings_;
  Eigen::VectorXd norms_;  ///< of the Jacobian's columns; 1 where that is 0 or left out
  ArrowMatrix normal_;     ///< 0 where left out
  ArrowMatrix scores_;
  Eigen::MatrixXd null_;        ///< orthonormal basis of the null space
  ArrowPseudoInverse inverse_;  ///< of the free constants' part
  std::vector<bool> held_;      ///< all others
  double factor_ = 1;           ///< of the covariance: rows / (rows - rank)
  bool enough_rows_ = true;
};

/// "the model grows as gpus^3.9, up to there as gpus^0.5" beyond the largest value of an extrinsic
/// column, where a term that is small in the measured range takes over and grows faster than in
/// proportion; else empty. Communication that grows with the workers is no such case.
std::string steep_growth(const FittedModel& model, std::size_t extrinsic);

/// What the reader of the constants should know: too few rows, levels without a training row,
/// and what was found about its constants.
std::vector<Warning> find_warnings(const FittedModel& model, const Design& training,
                                   const Findings& findings);

/// The same for a sum of product terms, and where it should not be extrapolated.
std::vector<Warning> find_multi_warnings(const FittedModel& model, const Design& training,
                                         const Findings& findings);

/// Of a form that was to be chosen, where there are too few configurations to say much; also where
/// that is Eq. (4).
void warn_of_few_configurations(const FittedModel& model, const Design& training,
                                std::vector<Warning>& out);

/// The same for a form with a residual process, whose constants are never too many.
std::vector<Warning> find_process_warnings(const FittedModel& model, const Design& training);

}  // namespace perfmodel
