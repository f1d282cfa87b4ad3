#pragma once

#include <vector>

#include "perfmodel/model/design/configuration.hpp"

namespace perfmodel {

/// A design of these rows, without times.
Design design_of(const std::vector<Configuration>& configurations, const ModelSpec& spec);

}  // namespace perfmodel
