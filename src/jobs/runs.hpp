#pragma once

#include <string>
#include <vector>

#include "perfmodel/fit.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// As read_runs(), with all cells as they were written, as texts, but for numbers with units or
/// with decimal commas. `bytes` is empty.
RunsFile read_as_written(const std::vector<std::string>& paths, const InputOptions& input);

}  // namespace perfmodel
