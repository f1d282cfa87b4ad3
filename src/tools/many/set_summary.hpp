#pragma once

#include <string>
#include <vector>

#include "cli/many_models.hpp"

namespace perfmodel::cli {

/// Ranks the models of a set by predicted time: a table per target with the largest ones, and a
/// summary of the rest. They are compared at the largest value of their first scale, or at these
/// settings (COL=VALUE), with all other inputs as in their common run. Throws UsageError for
/// settings that no model can have.
std::string set_summary(const ModelSet& set, const Console& console,
                        const std::vector<std::string>& settings);

/// The ranking of a set with each model's growth, its largest share and whether it is extrapolated,
/// followed by the pages of the costliest models.
page::SetContent set_page(const ModelSet& set, const SetPageRequest& request, Console& console);

/// Shows the ranking of the models, and those that are missing if some are.
void show_set(const ModelSet& set, const std::vector<std::string>& ranked_at, bool some_are_missing,
              Console& console);

}  // namespace perfmodel::cli
