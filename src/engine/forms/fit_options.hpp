#pragma once

#include <algorithm>
#include <cstddef>

#include "perfmodel/design.hpp"
#include "perfmodel/fit_options.hpp"

namespace perfmodel {

/// Range of times and column values whose squares, and the squares of much smaller errors, a double
/// holds at full precision.
constexpr double kLeastFittedNumber = 1e-150;
constexpr double kLargestFittedNumber = 1e150;

/// The message about numbers outside this range, also if a fit leads there.
std::string numbers_out_of_range();

/// True if all times and column values are 0 or within this range.
bool in_fitted_range(const Design& runs);

/// Throws InputError if a number is outside this range.
void require_fitted_range(const Design& runs);

/// The options of a fit of the mean or median instead of a bound: by them a form is chosen, and a
/// residual GP is fitted.
inline FitOptions without_quantile(FitOptions options) {
  if (options.quantile) {
    options.quantile.reset();
    options.loss = default_loss(options);
  }
  return options;
}

/// The form that is fitted; that of an earlier model counts as Eq. (4).
Expression expression_of(const FitOptions& options);

/// The number of terms that a sum is given; nullopt if they are chosen, and of other forms.
std::optional<std::size_t> given_terms(const FitOptions& options);

/// Whether terms that are chosen may be negative.
bool may_subtract(const FitOptions& options);

/// The box and the search of Eq. (4) or of a formula of the user's own; of other forms the default,
/// by which they fit Eq. (4) as a candidate.
const SearchSettings& search_settings(const FitOptions& options);
Method method_of(const FitOptions& options);

/// Reports the steps of a stage. Step 0 is reported as well, so that the estimated pace includes
/// the first step.
class StageSteps {
 public:
  StageSteps(const FitProgress& progress, FitStage stage, std::size_t all)
      : progress_(progress), stage_(stage), all_(all) {
    reach(0);
  }

  /// `done`: number of steps done since the beginning.
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
