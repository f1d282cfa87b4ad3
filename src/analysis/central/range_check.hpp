#pragma once

#include <string>
#include <vector>

#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// Which rows of a design lie within what a model was fitted on.
struct RangeCheck {
  std::vector<bool> in_range;         ///< per row
  std::vector<std::string> findings;  ///< a sentence per column or combination that leaves it
};

/// ", beyond which the model grows as gpus^3.9, ..." of an extrinsic column beyond whose largest
/// value a model is not to be trusted; else empty.
std::string growth_beyond(const FittedModel& model, const NumericInput& input);

/// A row is in range where every number lies within its column's measured range and the row in none
/// of the regions where nothing was measured.
RangeCheck check_range(const FittedModel& model, const Design& design);

}  // namespace perfmodel
