#include "fit/task/number_range.hpp"

#include <algorithm>

#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

template <class Numbers>
bool all_in_range(const Numbers& numbers) {
  return std::all_of(
      numbers.begin(), numbers.end(),
      [](double number) {
        return number == 0 || (kLeastFittedNumber <= number && number <= kLargestFittedNumber);
      });
}

bool all_in_range(const std::vector<NumericFactor>& factors) {
  return std::all_of(
      factors.begin(), factors.end(),
      [](const NumericFactor& factor) { return all_in_range(factor.values); });
}

}  // namespace

Sentence numbers_out_of_range() {
  return "the fit leads to figures that are too large for a number; write the times and the "
         "columns in units in which they are nearer to 1, or narrow " +
         Field{"bounds"};
}

bool in_fitted_range(const Design& runs) {
  return all_in_range(runs.time) && all_in_range(runs.intrinsic) && all_in_range(runs.extrinsic);
}

void require_fitted_range(const Design& runs) {
  if (!in_fitted_range(runs))
    throw InputError(numbers_out_of_range());
}

}  // namespace perfmodel
