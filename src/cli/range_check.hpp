#pragma once

#include <string>
#include <vector>

#include "cli/console.hpp"
#include "perfmodel/model/design.hpp"
#include "perfmodel/model/spec.hpp"

namespace perfmodel::cli {

/// One per row of the design: whether every number lies within what the model was fitted on.
std::vector<bool> rows_in_range(const ModelSpec& spec, const Design& design);

/// One warning per column that leaves its measured range, with the range and how many rows.
void warn_out_of_range(const ModelSpec& spec, const Design& design, Console& console);

}  // namespace perfmodel::cli
