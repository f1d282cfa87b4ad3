#pragma once

#include <Eigen/Core>
#include <vector>

#include "fit/result/form.hpp"

namespace perfmodel {

/// The constants that only their ratios matter of: of each term the factors of a column's levels,
/// and those of a regime. None of Eq. (4). Levels as they are shown.
std::vector<std::vector<Eigen::Index>> factor_groups(const std::vector<ConstantInfo>& constants,
                                                     const ModelSpec& spec);

}  // namespace perfmodel
