#pragma once

#include <vector>

#include "fit/choose/process_judge.hpp"
#include "fit/sum/fit_multi.hpp"

namespace perfmodel {

/// The forms that the last choice is among, each without and with a process.
struct FormSelection {
  FormCandidate chosen;
  bool chosen_sum = false;  ///< what cross-validation chose without a process, as it is
  std::vector<FormCandidate> tried;
  std::vector<Fold> folds;
};

/// Chooses among Eq. (4), one product and sums, with and without a process, by the rows that folds
/// hold out: of those that are as good as the best, one without a process before one with, fewer
/// terms before more.
FormSelection select_form(const SumChoice& sums);

}  // namespace perfmodel
