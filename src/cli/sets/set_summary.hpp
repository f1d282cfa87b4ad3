#pragma once

#include <string>
#include <vector>

#include "cli/runs/set_lines.hpp"
#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

/// The models of a set by what they weigh: a table per target with the largest ones, and what
/// became of the rest. They are asked where their first scale is largest, or with these settings
/// (COL=VALUE), all else as in the central run of each. Throws UsageError for settings that no
/// model can have.
std::string set_summary(const SetLines& set, const Console& console,
                        const std::vector<std::string>& settings = {});

/// "2 of 9 models are missing: kernel=x time_s: ..."; empty where none are.
std::string refused_text(const SetLines& set);

}  // namespace perfmodel::cli
