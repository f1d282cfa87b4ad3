#pragma once

#include "cli/commands/suggest/suggest_command.hpp"
#include "cli/terminal/console.hpp"
#include "io/documents/suggestion_json.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel::cli {

/// `--next`: the configurations whose measurement is worth most, into the document.
void suggest_next(const SuggestArguments& arguments, const FittedModel& model,
                  SuggestionDocument& document, Console& console);

}  // namespace perfmodel::cli
