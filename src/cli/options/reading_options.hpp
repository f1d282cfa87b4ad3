#pragma once

#include <optional>

namespace perfmodel::cli {

class OptionSet;

/// `--separator`.
void add_separator(OptionSet& app, std::optional<char>& separator);

/// `--failed`.
void add_failed(OptionSet& app, bool& drop_failed);

}  // namespace perfmodel::cli
