#pragma once

#include <string>
#include <vector>

#include "fit/determined/sensitivity.hpp"
#include "fit/eq4/space/search_space.hpp"
#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// The flat directions of Eq. (4) at its optimum in the user's words, one sentence each; none is
/// left out and none is said twice.
std::vector<std::string> describe_flat_directions(const Sensitivity& sensitivity,
                                                  const ModelSpec& spec, const Design& training);

}  // namespace perfmodel
