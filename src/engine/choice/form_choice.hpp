#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "choice/fit_sum.hpp"

namespace perfmodel {

/// A formula with its errors on held-out rows, alone and with a residual process.
struct FormCandidate {
  Candidate alone;
  Candidate with_gp;
  double correction = 0;          ///< median |exp z - 1| over training rows; z: GP minus its median
  Eigen::VectorXd position = {};  ///< gp::HyperParameters::position of the folds
};

/// The candidates of a choice by held-out rows.
struct FormSelection {
  std::vector<FormCandidate> tried;
  std::optional<std::size_t> chosen;  ///< nullopt after a stop request
};

/// Chooses the formula of a model with a residual process among Eq. (4) and sums of at most
/// kMostTerms terms, each judged with the process. Of those that predict held-out rows as well as
/// the best, within the measured range and beyond, it takes the most readable: the smallest
/// correction, in steps of 5 %, then the fewest constants.
FormSelection select_form(const SumChoice& sums);

/// Fits the formula that cross-validation chooses, with a residual process.
FittedModel fit_auto(const ModelSpec& spec, const Design& training, const FitOptions& options);

/// The laws that the runs allow: formulas that predict held-out runs about as well as the chosen
/// one of `model`, and go on otherwise beyond the runs. Each is fitted to all rows.
///
/// The weight of a law is the density of Student's t, with a degree of freedom less than folds, at
/// the standard errors by which its score on held-out runs is behind the best, over their sum;
/// formulas that go on alike are one law, that of the best. nullopt if there is one law, no scale,
/// or more than 200 rows, which tell laws apart.
std::optional<Laws> rival_laws(const SumChoice& sums, const Candidate& chosen,
                               const FittedModel& model, const FitOptions& options);

}  // namespace perfmodel
