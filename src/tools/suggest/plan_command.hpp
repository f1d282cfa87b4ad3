#pragma once

#include <string>
#include <vector>

#include "suggest/plan.hpp"

namespace perfmodel::cli {

/// The configurations of a file, which has the columns of the space.
std::vector<plan::Configuration> read_configurations(const plan::Space& space,
                                                     const std::string& path);

}  // namespace perfmodel::cli
