#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/fit/fit_command.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/design/design.hpp"
#include "trust/form_check.hpp"

namespace perfmodel::cli {

/// Where nobody asked for Eq. (4) by name and another form may gain far more: how they compare.
std::optional<FormCheck> check_default_form(const FitArguments& arguments, const FittedModel& model,
                                            const Design& training);
/// The same in words, with the command to paste.
std::string other_form_note(const FitArguments& arguments, const FormCheck& check);

/// What helps after a fit, at most so many notes, each with the command to paste. In this order:
/// that few of the
/// combinations of values were measured for the constants that there are; the level, or the end of
/// a number, whose runs are clearly predicted worse than the others.
std::vector<std::string> next_steps(const FitArguments& arguments, const FittedModel& model,
                                    const Design& training, std::size_t most);

}  // namespace perfmodel::cli
