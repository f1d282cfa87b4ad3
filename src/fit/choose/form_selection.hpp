#pragma once

#include <vector>

#include "fit/choose/process_judge.hpp"
#include "fit/sum/fit_multi.hpp"

namespace perfmodel {

/// What a form was chosen from, by the rows that folds hold out.
struct FormSelection {
  std::vector<FormCandidate> tried;
  std::vector<Fold> folds;
  /// Which of `tried` it is; where it has no process, the sum that was chosen before, as it was.
  /// Nothing where a stop was requested.
  std::optional<std::size_t> chosen;

  /// The mean of |ln(predicted / measured)| over the random parts.
  double error_within(const FormCandidate& candidate) const;

  /// The process beside the sum that was chosen without.
  const FormCandidate* chosen_with_process() const;

  /// Eq. (4), the chosen trend alone, and the trend with a process, the best one where none was
  /// chosen.
  std::vector<HeldOutErrors> compared() const;
};

/// Chooses between the sum that was chosen among sums and the same, or one product, with a process:
/// of those that are as good as the best, one without a process before one with, fewer terms before
/// more.
FormSelection select_form(const SumChoice& sums);

}  // namespace perfmodel
