#pragma once

#include <string>

#include "cli/fit_command.hpp"

namespace perfmodel::cli {

/// Adds the options of `fit` for many models at once.
void add_many_options(OptionSet& command, FitArguments& arguments);

/// True if the arguments request a model per group or target.
bool asks_for_many(const FitArguments& arguments);

/// Fits a model per group and target and writes each as a JSON line to `output_path`
/// once it is fitted. Returns the exit code, as run_fit() does.
int run_fit_many(const FitArguments& arguments, const std::string& output_path, Console& console);

}  // namespace perfmodel::cli
