#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/options.hpp"

namespace perfmodel::cli {

/// An option or an argument, with the data that shell completion needs.
struct OptionEntry {
  std::vector<std::string> names;  ///< "-o", "--output"; empty for an argument
  std::string value;               ///< placeholder of its value, "FILE"; empty for a flag
  std::string description;
  std::vector<std::string> words;  ///< possible values; empty: not enumerated
  bool repeatable = false;
  bool required = false;
};

struct CommandEntry {
  std::string name;
  std::string description;
  std::vector<OptionEntry> options;
  std::vector<OptionEntry> arguments;
};

struct CommandTree {
  CommandEntry program;
  std::vector<CommandEntry> commands;
};

CommandTree command_tree(const CLI::App& app, const OptionRecords& records);

}  // namespace perfmodel::cli
