#include "fit/sum/terms/sum_size.hpp"

namespace perfmodel {

std::size_t count_sum_constants(const ModelSpec& spec, std::size_t terms) {
  std::size_t of_term = 1 + spec.intrinsic.size() + spec.extrinsic.size();
  for (const CategoricalInput& input : spec.categorical)
    of_term += input.levels.size() - 1;
  return terms * of_term + 1;
}

bool terms_can_be_chosen(const ModelSpec& spec) {
  return count_sum_constants(spec, 2) <= kMostSumConstants;
}

}  // namespace perfmodel
