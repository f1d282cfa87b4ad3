#pragma once

#include "cli/commands/fit/fit_command.hpp"

namespace perfmodel::cli {

/// The options of `fit` that are about many models at once.
void add_many_options(OptionSet& command, FitArguments& arguments);

/// Whether the arguments ask for a model per group or target.
bool asks_for_many(const FitArguments& arguments);

/// Fits a model per group and target and writes them as JSON lines, each as soon as it is there.
/// Returns the exit code, as run_fit() does.
int run_fit_many(const FitArguments& arguments, FitRequest request, Console& console);

}  // namespace perfmodel::cli
