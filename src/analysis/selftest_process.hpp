#pragma once

#include <vector>

#include "analysis/selftest.hpp"

namespace perfmodel {

/// Of a Gaussian process that knows two runs, all is in closed form.
std::vector<SelftestFigure> process_figures();

}  // namespace perfmodel
