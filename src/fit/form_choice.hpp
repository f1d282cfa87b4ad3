#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fit/fit_multi.hpp"
#include "fit/term_choice.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// A formula, and how it predicted held-out rows, alone and with a residual process.
struct FormCandidate {
  Candidate alone;
  Candidate with_process;
  double correction = 0;  ///< median of |exp z - 1| over training rows
};

/// What a formula was chosen from, by the rows that folds hold out.
struct FormSelection {
  std::vector<FormCandidate> tried;
  std::optional<std::size_t> chosen;  ///< nothing where a stop was requested
};

/// Chooses the formula of a model with a residual process: of Eq. (4) and sums of at
/// most kMostTerms terms, each judged with the process, those that predict held-out rows as well as
/// the best, within the measured range and beyond it; and of these the one that is read best: the
/// smallest correction, in steps of 5 %, then the fewest constants.
FormSelection select_form(const SumChoice& sums);

/// Fits the formula that cross-validation chooses, with a residual process.
FittedModel fit_auto(const ModelSpec& spec, const Design& training, const FitOptions& options);

}  // namespace perfmodel
