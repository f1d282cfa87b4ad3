#pragma once

#include <string>
#include <vector>

#include "cli/app/command_tree.hpp"

namespace perfmodel::cli {

// Scripts by which shells complete command lines: commands, options, the words of options that take
// few, files elsewhere.

std::string bash_completions(const CommandTree& tree);
std::string zsh_completions(const CommandTree& tree);

/// Whether the value of an option, by what stands for it, is the name of a file.
bool takes_file(const OptionEntry& option);

/// The words that an argument of the command can be; none where it is a file.
std::vector<std::string> argument_words(const CommandTree& tree, const CommandEntry& command);

}  // namespace perfmodel::cli
