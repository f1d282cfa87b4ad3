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

// Widest intervals of quotable constants: see Identifiability.
inline constexpr double kNormalQuantile = 1.959963984540054;  // 97.5 % quantile
inline constexpr double kWidestPower = 0.5;
inline constexpr double kWidestShareOfValue = 0.5;
inline constexpr double kWidestShareOfTime = 0.1;

/// Which constants of a fitted model can be quoted, and why the others cannot.
struct Findings {
  Identifiability identifiability;
  std::vector<Warning> warnings;  ///< at_bound, flat_direction, negligible_term, undetermined
};

/// Findings for Eq. (4); `scaled` are the scaled constants of `model`.
Findings identify(const FittedModel& model, const Design& training, const SearchSpace& space,
                  const FitOptions& options, const Eigen::VectorXd& scaled);

/// State of a constant at the optimum, by itself.
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
  std::vector<bool> left_out;  ///< constants that are excluded
  ArrowMatrix normal;          ///< J'WJ
  ArrowMatrix scores;          ///< J'WSSJ, S being the scores of Curvature
};

/// First-order analysis of an optimum from its normal equations: directions in which the
/// predictions do not change, and standard errors.
///
/// Vectors over constants are in the order of the model's layout. Directions are in the linearised
/// constants: scaled ones for Eq. (4), those of SumSensitivity for a sum.
class Sensitivity {
 public:
  /// Excludes constants that no row depends on. After a stop request, the constructor and the
  /// expensive functions throw Interrupted.
  explicit Sensitivity(NormalEquations equations, std::stop_token stop = {});

  const std::vector<Standing>& standings() const { return standings_; }
  /// Weighted norm of the change of the predictions, to first order, per step along `direction`.
  double effect(const Eigen::VectorXd& direction) const;
  /// A basis of the flat directions of constants that are not in `held`: one column per direction,
  /// with lengths in change of the predictions. Each has an entry of 1 at which the others have 0.
  Eigen::MatrixXd flat_directions(const std::vector<bool>& held) const;
  /// The gradient without the excluded constants.
  Eigen::VectorXd of_coordinates(const Eigen::VectorXd& gradient) const;
  /// True if no flat direction changes a quantity with this gradient in the scaled constants.
  bool is_estimable(const Eigen::VectorXd& gradient) const;
  /// Standard error of such a quantity by the sandwich estimator (Huber 1967; White 1980 for
  /// squares, Koenker 2005 for absolute errors), with constants at bounds fixed. Infinite if there
  /// are no more rows than constants.
  double standard_error(const Eigen::VectorXd& gradient) const;

 private:
  std::stop_token stop_;
  std::vector<Standing> standings_;
  Eigen::VectorXd norms_;  ///< of the Jacobian's columns; 1 if that is 0 or excluded
  ArrowMatrix normal_;     ///< 0 for excluded constants
  ArrowMatrix scores_;
  Eigen::MatrixXd null_;        ///< orthonormal basis of the null space
  ArrowPseudoInverse inverse_;  ///< for the free constants
  std::vector<bool> held_;      ///< all constants that are not free
  double factor_ = 1;           ///< factor of the covariance, rows / (rows - rank)
  bool enough_rows_ = true;
};

/// "the model grows as gpus^3.9, up to there as gpus^0.5" if, beyond the largest value of an
/// extrinsic column, a term that is small in the measured range takes over and grows faster than in
/// proportion; else empty. Communication that grows with the workers does not count.
std::string steep_growth(const FittedModel& model, std::size_t extrinsic);

/// Warnings for Eq. (4): too few rows, levels without a training row, and the findings.
std::vector<Warning> find_warnings(const FittedModel& model, const Design& training,
                                   const Findings& findings);

/// find_warnings() for a sum of product terms, with warnings against extrapolation.
std::vector<Warning> find_multi_warnings(const FittedModel& model, const Design& training,
                                         const Findings& findings);

/// Warns if there are too few configurations for a choice of the form, also if Eq. (4) was chosen.
void warn_of_few_configurations(const FittedModel& model, const Design& training,
                                std::vector<Warning>& out);

/// Warnings for a form with a residual process, which never has too many constants.
std::vector<Warning> find_process_warnings(const FittedModel& model, const Design& training);

}  // namespace perfmodel
