#pragma once

#include <string>
#include <vector>

#include "analysis/selftest.hpp"

namespace perfmodel {

/// Schema perfmodel/selftest; ends with a newline.
std::string selftest_to_json(const std::vector<SelftestFigure>& figures);

}  // namespace perfmodel
