#pragma once

#include <string>
#include <vector>

#include "analysis/plan/next_runs.hpp"
#include "analysis/plan/suggestion.hpp"

namespace perfmodel {

struct NextSuggestion {
  plan::Suggestion suggestion;
  plan::NextRun run;
};

/// schema perfmodel/suggestions, version 1; ends with a newline.
struct SuggestionDocument {
  const plan::Space& space;
  plan::Suggestions suggestions;
  std::string target;  ///< of the model
  std::string unit;
  bool with_cost = false;
  std::vector<NextSuggestion> next;  ///< --next
  double deviation = 0;              ///< mean deviation over the space, before them
};

std::string to_json(const SuggestionDocument& document);

}  // namespace perfmodel
