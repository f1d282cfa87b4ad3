#pragma once

#include <string>

#include "cli/console.hpp"
#include "perfmodel/model/design.hpp"

namespace perfmodel::cli {

/// Further runs to judge a model on. Rows with a level that no run behind the model has are left
/// out with a warning.
///
/// Throws InputError where no row is left, and, if the test is `gated`, for any such row: a gate
/// must not pass because the rows that it is about are missing.
Design read_test_runs(const std::string& path, const ModelSpec& spec, bool gated, Console& console);

}  // namespace perfmodel::cli
