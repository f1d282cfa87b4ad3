#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/eigen.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// The probability of a |t| as large as this one by chance, of Student's t distribution (Abramowitz
/// and Stegun 26.7.3 and 26.7.4).
double chance_of_t(double t, std::size_t freedom);

/// A linear regression of logarithms on some columns and one more, which is the last.
struct Regression {
  double chance = 1;     ///< that the last column follows the logarithms as closely by chance
  double deviation = 0;  ///< of what is left
  VectorXd coefficients;
  MatrixXd inverse;  ///< the pseudo-inverse of the columns

  /// The standard error of the sum of the coefficients, each times its weight.
  double error_of(const VectorXd& weights) const {
    return deviation * (inverse.transpose() * weights).norm();
  }
};

/// nullopt if no rows are left to tell chance by, or if the last column is one of the others.
std::optional<Regression> regression_with(const MatrixXd& columns, const VectorXd& added,
                                          const VectorXd& logs);

/// A column along which the runs contradict a model: they are fastest at one value and slower, by
/// more than their noise, at the one where the model says that they are fastest.
struct Turn {
  std::string column;
  double fastest = 0;  ///< by the runs
  double advised = 0;  ///< by the model
  double slower = 1;   ///< how many times as long the runs take there
};

/// What the runs that a model remembers say against its advice: its residuals, regressed on what
/// its own constants can do and on a term with which the time turns. At most one per column, the
/// worst first; empty if nothing is beyond noise, or if the model remembers no runs.
std::vector<Turn> turns_against(const FittedModel& model);

/// The model whose predictions are those of its runs alone, of the process without a formula.
FittedModel without_formula(const FittedModel& model);

}  // namespace perfmodel
