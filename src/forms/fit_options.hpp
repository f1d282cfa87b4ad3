#pragma once

#include <algorithm>
#include <cstddef>

#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// Times and columns within these have squares, and squares of errors far smaller than they are,
/// that a double holds in full.
constexpr double kLeastFittedNumber = 1e-150;
constexpr double kLargestFittedNumber = 1e150;

/// What is said of numbers beyond, and of fits that lead there.
Sentence numbers_out_of_range();

/// Whether no measured time and no number of a column but 0 is beyond them.
bool in_fitted_range(const Design& runs);

/// Throws InputError where one is.
void require_fitted_range(const Design& runs);

/// The options of a fit to the absolute errors of the times, of which the largest times decide.
inline FitOptions with_absolute_errors(FitOptions options) {
  options.loss = Loss::mae;
  options.penalty = {};
  return options;
}

/// The steps of a stage, told as they are done; from its beginning on, lest the pace begin with the
/// second.
class StageSteps {
 public:
  StageSteps(const FitProgress& progress, FitStage stage, std::size_t all)
      : progress_(progress), stage_(stage), all_(all) {
    reach(0);
  }

  /// So many of all are done, counted from the beginning.
  void reach(std::size_t done) {
    done_ = std::min(done, all_);
    if (progress_)
      progress_(stage_, done_, all_);
  }
  void next() { reach(done_ + 1); }

 private:
  const FitProgress& progress_;
  FitStage stage_;
  std::size_t all_;
  std::size_t done_ = 0;
};

}  // namespace perfmodel
