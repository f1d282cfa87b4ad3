#pragma once

#include <functional>
#include <string>

#include "cli/app/command_tree.hpp"
#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

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
