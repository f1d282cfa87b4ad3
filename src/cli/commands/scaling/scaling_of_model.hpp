#pragma once

#include "cli/commands/scaling/scaling_command.hpp"
#include "io/documents/scaling_json.hpp"

namespace perfmodel::cli {

/// The study of a fitted model, along one of its extrinsic columns with everything else fixed: as
/// --set says, else as in the central run, with a notice.
ScalingDocument scaling_of_model(const ScalingArguments& arguments, Console& console);

}  // namespace perfmodel::cli
