#pragma once

#include <string>
#include <vector>

#include "analysis/plan/suggestion.hpp"

namespace perfmodel {

/// schema perfmodel/suggestions, version 1; ends with a newline.
struct SuggestionDocument {
  const plan::Space& space;
  plan::Suggestions suggestions;
  std::string target;  ///< of the model
  std::string unit;
  bool with_cost = false;
  /// --next: configurations and what each adds to ln det of the information.
  std::vector<plan::Suggestion> next;
  std::vector<double> next_gains;
};

std::string to_json(const SuggestionDocument& document);

}  // namespace perfmodel
