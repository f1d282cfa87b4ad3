#pragma once

#include "cli/commands/fit/fit_command.hpp"

namespace perfmodel::cli {

/// The runs of a fit of one model: row by row, merged or drawn.
LabelledRuns read_for_fit(const FitArguments& arguments, const FitRequest& request,
                          Console& console, const ReadProgress& progress);

}  // namespace perfmodel::cli
