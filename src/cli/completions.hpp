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

/// The options of a command as a table in Markdown: name, meaning, default.
std::string options_table(const CLI::App& command, const OptionRecords& records);

struct HelpArguments {
  std::string command;  ///< empty: the program
  bool markdown = false;
  std::function<std::string(const std::string& command, bool markdown)> help_of;
};

/// `perfmodel help [COMMAND]`: prints the text of --help, or a table of the options.
void setup_help(OptionSet& command, HelpArguments& arguments);
int run_help(const HelpArguments& arguments, Console& console);

enum class Shell { bash, zsh };

struct CompletionsArguments {
  Shell shell = Shell::bash;
  std::function<CommandTree()> tree;
  std::string output = "-";
};

/// `perfmodel completions SHELL`: prints a completion script for the shell.
void setup_completions(OptionSet& command, CompletionsArguments& arguments);
int run_completions(const CompletionsArguments& arguments, Console& console);

}  // namespace perfmodel::cli
