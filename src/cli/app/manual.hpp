#pragma once

#include <string>

#include "cli/app/command_tree.hpp"

namespace perfmodel::cli {

/// The manual page of a command, or of the program where the name is empty, in the man macros of
/// roff. Throws UsageError where there is no such command.
std::string manual_page(const CommandTree& tree, const std::string& command);

}  // namespace perfmodel::cli
