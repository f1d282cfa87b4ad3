#pragma once

#include <string>
#include <vector>

#include "cli/options/option_set.hpp"

namespace perfmodel::cli {

/// An option or an argument, as completions need it.
struct OptionEntry {
  std::vector<std::string> names;  ///< "-o", "--output"; of an argument none
  std::string value;               ///< what stands for its value, "FILE"; of a flag nothing
  std::string description;         ///< in one line
  std::vector<std::string> words;  ///< that the value can be, where these are few
  bool repeatable = false;
};

struct CommandEntry {
  std::string name;
  std::string description;
  std::vector<OptionEntry> options;
  std::vector<OptionEntry> arguments;
};

/// What can be said on the command line: the program itself, then its commands.
struct CommandTree {
  CommandEntry program;
  std::vector<CommandEntry> commands;
};

CommandTree command_tree(const CLI::App& app, const OptionWords& words);

}  // namespace perfmodel::cli
