#pragma once

#include <vector>

#include "perfmodel/analysis/report/content.hpp"

namespace perfmodel::report {

/// One per extrinsic column.
std::vector<ScalingPower> powers_of(const FittedModel& model);

/// Of Eq. (4) by input, of a sum by term; C is a group of its own.
std::vector<ConstantGroup> constants_of(const FittedModel& model);

/// Of Eq. (4) alone, without the reference levels themselves.
std::vector<LevelDifference> differences_of(const FittedModel& model);

}  // namespace perfmodel::report
