#pragma once

#include "cli/commands/scaling/scaling_command.hpp"
#include "io/documents/scaling_json.hpp"

namespace perfmodel::cli {

/// The study of measured runs. Throws UsageError where the column of scales has to be named.
ScalingDocument scaling_of_runs(const ScalingArguments& arguments, Console& console);

/// The study of a fitted model, along one of its extrinsic columns with everything else fixed: as
/// --set says, else at the geometric middle of the measured range and the first level, with a
/// notice.
ScalingDocument scaling_of_model(const ScalingArguments& arguments, Console& console);

}  // namespace perfmodel::cli
