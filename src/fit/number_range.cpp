#include "perfmodel/fit/number_range.hpp"

#include <algorithm>
#include <string>

#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

template <class Numbers>
bool all_in_range(const Numbers& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double number) {
    return least_fitted_number <= number && number <= largest_fitted_number;
  });
}

bool all_in_range(const std::vector<NumericFactor>& factors) {
  return std::all_of(factors.begin(), factors.end(),
                     [](const NumericFactor& factor) { return all_in_range(factor.values); });
}

}  // namespace

bool in_fitted_range(const Design& runs) {
  return all_in_range(runs.time) && all_in_range(runs.intrinsic) && all_in_range(runs.extrinsic);
}

void require_fitted_range(const Design& runs) {
  if (!in_fitted_range(runs))
    throw InputError(std::string(numbers_out_of_range));
}

}  // namespace perfmodel
