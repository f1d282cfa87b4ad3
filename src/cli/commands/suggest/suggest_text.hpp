#pragma once

#include <string>
#include <vector>

#include "cli/commands/suggest/suggest_command.hpp"
#include "io/documents/suggestion_json.hpp"

namespace perfmodel::cli {

/// The list that was asked for.
std::vector<plan::Suggestion> chosen_suggestions(const SuggestArguments& arguments,
                                                 const SuggestionDocument& document);

/// The list that was asked for as a table for people.
std::string suggestions_text(const SuggestArguments& arguments, const SuggestionDocument& document);

/// The same as CSV: the columns of the space, the predicted time, and the cost or the gain.
std::string suggestions_csv(const SuggestArguments& arguments, const SuggestionDocument& document);

}  // namespace perfmodel::cli
