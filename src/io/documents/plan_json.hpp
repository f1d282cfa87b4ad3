#pragma once

#include <string>
#include <vector>

#include "analysis/plan/space.hpp"
#include "json/json_layout.hpp"

namespace perfmodel {

/// The value of each column by its name.
Json configuration_to_json(const plan::Space& space, const plan::Configuration& configuration);

/// Schema perfmodel/plan, version 1; ends with a newline.
std::string plan_to_json(const plan::Space& space,
                         const std::vector<plan::Configuration>& configurations);

}  // namespace perfmodel
