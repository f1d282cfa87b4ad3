#pragma once

#include <vector>

#include "perfmodel/model/design.hpp"
#include "perfmodel/model/multi_expression.hpp"

namespace perfmodel {

/// "num_gpus > 1": of columns that count from 1 and take two further values or more. With one other
/// value the power of the column says the same.
std::vector<Regime> possible_regimes(const ModelSpec& spec, const Design& training);

}  // namespace perfmodel
