#pragma once

#include <optional>
#include <string>

#include "cli/commands/fit/fit_command.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel::cli {

/// Of a fit of Eq. (4) that nobody asked for by name: what another form may gain, with the command
/// that tries it; nothing where it would gain little.
std::optional<std::string> other_form_note(const FitArguments& arguments, const FittedModel& model,
                                           const Design& training);

/// Where few of the combinations of values were measured for the constants that there are: the
/// command that says which runs to add.
std::optional<std::string> next_runs_note(const FitArguments& arguments, const FittedModel& model,
                                          const Design& training);

}  // namespace perfmodel::cli
