#include "fit/residual/factor_groups.hpp"

#include <cstddef>

#include "base/index.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kFactorsOfStep = 2;  // up to a threshold, and above it

}  // namespace

/// Factors stand term by term: levels column by column, then steps.
std::vector<std::vector<Eigen::Index>> factor_groups(const std::vector<ConstantInfo>& constants,
                                                     const ModelSpec& spec) {
  std::vector<std::vector<Eigen::Index>> out;
  std::size_t column = 0;
  for (std::size_t k = 0; k < constants.size();) {
    const ConstantInfo& constant = constants[k];
    const bool is_step = constant.role == ConstantRole::step;
    if (!is_step &&
        (constant.role != ConstantRole::level || constant.range != ConstantRange::factor)) {
      ++k;
      continue;
    }
    const CategoricalInput* const input =
        is_step ? nullptr : &spec.categorical[column++ % spec.categorical.size()];
    const std::size_t count = is_step ? kFactorsOfStep : input->levels.size();
    out.emplace_back();
    for (std::size_t place = 0; place < count; ++place)
      out.back().push_back(index(k + (is_step ? place : input->shown_level(place))));
    k += count;
  }
  return out;
}

}  // namespace perfmodel
