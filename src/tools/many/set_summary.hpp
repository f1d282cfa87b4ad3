#pragma once

#include <string>
#include <vector>

#include "cli/many_models.hpp"

namespace perfmodel::cli {

/// Ranks the models of a set by predicted time: a table per target with the largest ones, and a
/// summary of the rest. They are compared at the largest value of their first scale, or at these
/// settings (COL=VALUE), with all other inputs as in their common run. Throws UsageError for
/// settings that no model can have.
std::string set_summary(const SetLines& set, const Console& console,
                        const std::vector<std::string>& settings);

/// The ranking of a set with each model's growth, its largest share and whether it is extrapolated,
/// followed by the pages of the costliest models.
page::SetContent set_page(const SetLines& set, const SetPageRequest& request, Console& console);

/// "2 of 9 models are missing: kernel=x time_s: ..."; empty if none are.
std::string refused_text(const SetLines& set);

}  // namespace perfmodel::cli
