#pragma once

#include <cstddef>
#include <vector>

#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// Codes the values of a column (one per row, no NaN) where there are at most
/// `NumericFactor::most_coded` distinct ones; otherwise keeps them as they are.
NumericFactor make_factor(std::vector<double> values);

}  // namespace perfmodel
