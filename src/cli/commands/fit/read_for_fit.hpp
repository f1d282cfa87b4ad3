#pragma once

#include <optional>

#include "base/tasks/processes.hpp"
#include "cli/commands/fit/fit_command.hpp"

namespace perfmodel::cli {

/// The runs of a fit of one model: row by row, merged or drawn; read with the other processes of a
/// job, where there is one, and then nothing in these.
std::optional<LabelledRuns> read_for_fit(const FitArguments& arguments, const FitRequest& request,
                                         Processes* job, Console& console,
                                         const ReadProgress& progress);

}  // namespace perfmodel::cli
