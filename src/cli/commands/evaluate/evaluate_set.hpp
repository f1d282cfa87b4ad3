#pragma once

#include "cli/commands/evaluate/evaluate_command.hpp"
#include "io/model/model_set.hpp"

namespace perfmodel::cli {

/// Errors of every model of a set on its own rows, the largest first.
int evaluate_set(const EvaluateArguments& arguments, const ModelSet& set, Console& console);

}  // namespace perfmodel::cli
