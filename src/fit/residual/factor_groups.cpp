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
  std::size_t left = 0;
  std::size_t column = 0;
  for (std::size_t k = 0; k < constants.size(); ++k) {
    const ConstantInfo& constant = constants[k];
    if (constant.role != ConstantRole::step &&
        (constant.role != ConstantRole::level || constant.range != ConstantRange::factor))
      continue;
    if (left == 0) {
      if (constant.role == ConstantRole::level) {
        left = spec.categorical[column % spec.categorical.size()].levels.size();
        ++column;
      } else {
        left = kFactorsOfStep;
      }
      out.emplace_back();
    }
    out.back().push_back(index(k));
    --left;
  }
  return out;
}

}  // namespace perfmodel
