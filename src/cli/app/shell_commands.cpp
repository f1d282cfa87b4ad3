#include "cli/app/shell_commands.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/app/completions.hpp"
#include "cli/options/option_set.hpp"
#include "cli/options/shared_options.hpp"
#include "io/file/output_file.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::array<std::pair<std::string_view, Shell>, 2> kShells = {
    {{"bash", Shell::bash}, {"zsh", Shell::zsh}}};

void write_to(const std::string& path, const std::string& text) {
  OutputFile output(path);
  output.write(text);
  output.commit();
}

}  // namespace

void setup_help(OptionSet& command, HelpArguments& arguments) {
  command.add_option("COMMAND", arguments.command, "default: perfmodel as a whole")
      .option_text(" ");
  command.footer(
      "Examples:\n"
      "  perfmodel help\n"
      "  perfmodel help fit");
}

int run_help(const HelpArguments& arguments, Console& /*console*/) {
  write_to("-", arguments.help_of(arguments.command));
  return 0;
}

void setup_completions(OptionSet& command, CompletionsArguments& arguments) {
  std::vector<std::string> names;
  for (const auto& [name, shell] : kShells)
    names.emplace_back(name);
  command
      .add_option_function(
          "SHELL",
          [&arguments, names](const std::string& text) {
            const auto found = std::find(names.begin(), names.end(), text);
            if (found == names.end())
              throw OptionError("SHELL", "'" + text + "' is not one of " + quoted_list(names));
            arguments.shell = kShells[static_cast<std::size_t>(found - names.begin())].second;
          },
          joined(names, ", "))
      .option_text(" ")
      .words(names)
      .required();
  add_output(command, arguments.output, "FILE");
  command.footer(
      "Installed with the program, they are found by themselves.\n"
      "\n"
      "Examples:\n"
      "  perfmodel completions bash > ~/.local/share/bash-completion/completions/perfmodel\n"
      "  perfmodel completions zsh > ~/.zsh/functions/_perfmodel");
}

int run_completions(const CompletionsArguments& arguments, Console& /*console*/) {
  const CommandTree tree = arguments.tree();
  switch (arguments.shell) {
    case Shell::bash:
      write_to(arguments.output, bash_completions(tree));
      break;
    case Shell::zsh:
      write_to(arguments.output, zsh_completions(tree));
      break;
  }
  return 0;
}

}  // namespace perfmodel::cli
