#pragma once

#include "cli/commands/evaluate/evaluate_command.hpp"
#include "cli/runs/set_lines.hpp"

namespace perfmodel::cli {

/// Errors of every model of a set on its own rows, the largest first.
int evaluate_set(const EvaluateArguments& arguments, const SetLines& set, Console& console);

}  // namespace perfmodel::cli
