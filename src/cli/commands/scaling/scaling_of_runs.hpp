#pragma once

#include "cli/commands/scaling/scaling_command.hpp"
#include "io/documents/scaling_json.hpp"

namespace perfmodel::cli {

/// The study of measured runs. Throws UsageError where the column of scales has to be named.
ScalingDocument scaling_of_runs(const ScalingArguments& arguments, Console& console);

}  // namespace perfmodel::cli
