#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "perfmodel/model.hpp"
#include "search/losses.hpp"
#include "search/search_space.hpp"

namespace perfmodel {

/// The 95 % quantile of Student's t distribution (Abramowitz and Stegun 26.7.5).
double t_quantile_95(std::size_t degrees);

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
                  const FitOptions& options, const VectorXd& scaled);

/// State of a constant at the optimum, by itself.
enum class Standing {
  free,
  fixed,      ///< its bounds are equal
  at_zero,    ///< a coefficient or C at its lower bound 0
  at_bound,   ///< at another bound
  idle,       ///< the power of a term whose coefficient is 0
  untrained,  ///< no training row depends on it
};

/// First-order analysis of an optimum from the training rows' Jacobian J and the curvature of their
/// losses: directions in which the predictions do not change, and standard errors.
///
/// Vectors over constants are in the order of the model's layout. Directions are in the linearised
/// constants: scaled ones for Eq. (4), those of SumSensitivity for a sum.
class Sensitivity {
 public:
  /// J' diag(weights) J.
  using Gram = std::function<SymmetricMatrix(const VectorXd& weights)>;

  /// Excludes the constants in `left_out`, and those that no row depends on. `runs`: their number
  /// in all rows. After a stop request, the constructor and the expensive functions throw
  /// Interrupted.
  Sensitivity(std::vector<Standing> standings, std::vector<bool> left_out, const Gram& gram,
              const Curvature& curvature, std::size_t runs, std::stop_token stop = {});

  /// The same at predictions that are linearised in all constants.
  Sensitivity(std::vector<Standing> standings, std::vector<bool> left_out,
              const LinearisedModel& at, Loss loss, const Design& training)
      : Sensitivity(
            std::move(standings), std::move(left_out),
            [&](const VectorXd& weights) { return at.gram(weights); },
            curvature_of(loss, training, at.predicted()), training.rows) {}

  const std::vector<Standing>& standings() const { return standings_; }
  /// Weighted norm of the change of the predictions, to first order, per step along `direction`.
  double effect(const VectorXd& direction) const;
  /// A basis of the flat directions of constants that are not in `held`: one column per direction,
  /// with lengths in change of the predictions. Each has an entry of 1 at which the others have 0.
  MatrixXd flat_directions(const std::vector<bool>& held) const;
  /// True if the form excluded the constant.
  bool left_out(std::size_t k) const { return left_out_[k]; }
  /// The gradient without the excluded constants.
  VectorXd of_coordinates(const VectorXd& gradient) const;
  /// True if no flat direction changes a quantity with this gradient in the scaled constants.
  bool is_estimable(const VectorXd& gradient) const;
  /// Standard error of such a quantity by the sandwich estimator (Huber 1967; White 1980 for
  /// squares, Koenker 2005 for absolute errors), with constants at bounds fixed. Infinite if there
  /// are no more rows than constants.
  double standard_error(const VectorXd& gradient) const;

 private:
  std::stop_token stop_;
  std::vector<Standing> standings_;
  std::vector<bool> left_out_;
  VectorXd norms_;          ///< of the Jacobian's columns; 1 if that is 0 or excluded
  SymmetricMatrix normal_;  ///< 0 for excluded constants
  SymmetricMatrix scores_;
  MatrixXd null_;           ///< orthonormal basis of the null space
  PseudoInverse inverse_;   ///< for the free constants
  std::vector<bool> held_;  ///< all constants that are not free
  double factor_ = 1;       ///< factor of the covariance, rows / (rows - rank)
  bool enough_rows_ = true;
};

/// A constant of a fitted model as IdentifiedConstants judges it.
struct JudgedConstant {
  std::string name;
  std::string column = {};  ///< whose power, coefficient or factor this is; empty if there is none
  std::size_t term = 0;     ///< of a sum, from 1; 0 if there is none
  double value = 0;
  double widest = 0;       ///< largest half width with which the constant can be quoted
  bool distorted = false;  ///< by another constant: then not identified, however narrow
};

/// The constants of any form that can be quoted, and why the others cannot.
class IdentifiedConstants {
 public:
  /// `gradient`: of a constant, by the linearised constants. Keeps a reference to `sensitivity`.
  IdentifiedConstants(const Sensitivity& sensitivity, std::vector<JudgedConstant> constants,
                      const std::function<VectorXd(std::size_t)>& gradient);

  std::size_t size() const { return constants_.size(); }
  const JudgedConstant& operator[](std::size_t k) const { return constants_[k]; }
  Standing standing(std::size_t k) const { return sensitivity_.standings()[k]; }

  /// Identifiability::constants and at_bound.
  Identifiability identifiability() const;
  bool is_identified(std::size_t k) const { return identified_[k]; }
  /// True if no flat direction changes the constant, but its interval is too wide.
  bool is_wide(std::size_t k) const { return wide_[k]; }
  /// True if a quantity with this gradient is estimable with at most this half width.
  bool is_narrow(const VectorXd& gradient, double widest) const;

  /// Columns and terms whose constants change along a direction, each once, ascending.
  struct Moved {
    std::vector<std::string> columns;
    std::vector<std::size_t> terms;
    bool intercept = false;  ///< the last constant, C
  };
  Moved moved_by(const VectorXd& direction) const;

  /// "C is not determined: 0.5 +- 0.7" if is_wide().
  void warn_of_width(std::size_t k, std::vector<Warning>& out) const;

 private:
  const Sensitivity& sensitivity_;
  std::vector<JudgedConstant> constants_;
  std::vector<bool> identified_;
  std::vector<bool> wide_;
  std::vector<double> half_widths_;
};

/// "'filters' and 'gpus' move together[ in term 1]: only their joint effect is determined", or the
/// sentence about the constants of a single column; `by_itself` then ends it.
std::string together_sentence(const std::vector<std::string>& columns, const std::string& where,
                              const std::string& by_itself = {});

/// "the model grows as gpus^3.9, up to there as gpus^0.5" if, beyond the largest value of a
/// numeric column, a term that is small in the measured range takes over and grows faster than in
/// proportion; else empty. Communication that grows with the workers does not count.
std::string steep_growth(const FittedModel& model, std::size_t numeric);

/// Warns if there are too few configurations for a choice of the form, also if Eq. (4) was chosen.
void warn_of_few_configurations(const FittedModel& model, const Design& training,
                                std::vector<Warning>& out);

/// Warnings of a fitted model: too few rows, levels without a training row, against extrapolation,
/// and the findings, if its constants have been analysed.
std::vector<Warning> find_warnings(const FittedModel& model, const Design& training,
                                   const std::optional<Findings>& findings);

}  // namespace perfmodel
