#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/options.hpp"

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

struct HelpArguments {
  std::string command;  ///< empty: of the program
  std::function<std::string(const std::string&)> help_of;
};

/// `perfmodel help [COMMAND]`: what --help prints.
void setup_help(OptionSet& command, HelpArguments& arguments);
int run_help(const HelpArguments& arguments, Console& console);

enum class Shell { bash, zsh };

struct CompletionsArguments {
  Shell shell = Shell::bash;
  std::function<CommandTree()> tree;
  std::string output = "-";
};

/// `perfmodel completions SHELL`: what a shell reads to complete command lines.
void setup_completions(OptionSet& command, CompletionsArguments& arguments);
int run_completions(const CompletionsArguments& arguments, Console& console);

}  // namespace perfmodel::cli
