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
  std::string description;
  std::vector<std::string> words;  ///< that the value can be, where these are few
  bool repeatable = false;
  bool required = false;
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

CommandTree command_tree(const CLI::App& app, const OptionRecords& records);

/// The options of a command as a table in Markdown: name, meaning, default.
std::string options_table(const CLI::App& command, const OptionRecords& records);

struct HelpArguments {
  std::string command;  ///< empty: of the program
  bool markdown = false;
  std::function<std::string(const std::string& command, bool markdown)> help_of;
};

/// `perfmodel help [COMMAND]`: what --help prints, or the table of its options.
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
