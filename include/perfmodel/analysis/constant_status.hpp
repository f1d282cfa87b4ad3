#pragma once

#include <string_view>
#include <vector>

#include "perfmodel/fit/fitted_model.hpp"

namespace perfmodel {

/// Whether a constant of a model can be quoted.
enum class ConstantStatus {
  unknown,       ///< the model does not say
  determined,    ///< by the training rows
  undetermined,  ///< by these rows; see Identifiability
  at_bound       ///< the bound decides, not the rows
};

/// "determined", "not determined", "at a bound"; empty where it is not known.
std::string_view to_text(ConstantStatus status);

struct ConstantStatuses {
  std::vector<ConstantStatus> constants;  ///< in the order of the model's
  /// One per extrinsic column: of its local power in a sum of product terms, in Eq. (4) of q;
  /// unknown where derived columns add to it, since the power is then more than that constant.
  std::vector<ConstantStatus> scaling_powers;
};

ConstantStatuses constant_statuses(const FittedModel& model);

}  // namespace perfmodel
