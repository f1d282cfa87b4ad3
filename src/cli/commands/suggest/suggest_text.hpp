#pragma once

#include <string>
#include <vector>

#include "cli/commands/suggest/suggest_command.hpp"
#include "io/documents/suggestion_json.hpp"

namespace perfmodel::cli {

/// The list that was asked for.
std::vector<plan::Suggestion> chosen_suggestions(const SuggestArguments& arguments,
                                                 const SuggestionDocument& document);

/// The same in the format that was asked for: the columns of the space, the predicted time, and the
/// cost or the gain.
std::string formatted(const SuggestArguments& arguments, const SuggestionDocument& document);

}  // namespace perfmodel::cli
