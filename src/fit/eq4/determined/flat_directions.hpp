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

/// How many values a column has; 3 stands for more.
std::size_t few_values(const NumericFactor& factor, std::size_t rows);

/// Of a column with one value beside 0: what its term takes there says nothing of its power.
std::string lone_value_sentence(const NumericInput& input);

}  // namespace perfmodel
