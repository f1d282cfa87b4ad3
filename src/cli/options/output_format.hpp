#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal/output_tables.hpp"

namespace perfmodel::cli {

class OptionSet;

/// `--format text|json|csv|markdown|latex` and further ones; `md` is short for markdown. The
/// variable holds the default.
void add_format(OptionSet& app, OutputFormat& format, const std::string& description,
                const std::vector<std::pair<std::string, OutputFormat>>& further = {});

/// The same where what is usual depends on more.
void add_format(OptionSet& app, std::optional<OutputFormat>& format,
                const std::string& description);

}  // namespace perfmodel::cli
