#pragma once

#include <string>
#include <vector>

#include "cli/commands/fit/fit_command.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel::cli {

/// What helps most after a fit, at most two notes, each with the command to paste. In this order:
/// what another form may gain over Eq. (4) that nobody asked for by name; that few of the
/// combinations of values were measured for the constants that there are; the level, or the end of
/// a number, whose runs are clearly predicted worse than the others.
std::vector<std::string> next_steps(const FitArguments& arguments, const FittedModel& model,
                                    const Design& training);

}  // namespace perfmodel::cli
