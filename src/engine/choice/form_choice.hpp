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

}  // namespace perfmodel
