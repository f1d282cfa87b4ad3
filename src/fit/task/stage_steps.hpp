#pragma once

#include <algorithm>
#include <cstddef>

#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

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
