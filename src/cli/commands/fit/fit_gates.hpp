#pragma once

#include <vector>

#include "cli/commands/fit/fit_command.hpp"

namespace perfmodel::cli {

/// What conditions can speak of: the test part where there is one, else the training part; with a
/// prefix, any part.
const FurtherFigures& fit_figures();

/// Throws UsageError for a condition on a part that there will not be.
void check_gated_parts(const FitArguments& arguments);

/// Throws GateError where a condition holds.
void check_fit_gates(const std::vector<Gate>& gates, const FittedModel& model);

}  // namespace perfmodel::cli
