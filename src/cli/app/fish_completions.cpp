#include <vector>

#include "base/text.hpp"
#include "cli/app/completions.hpp"

namespace perfmodel::cli {
namespace {

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

std::string fish_options(const CommandEntry& command, const std::string& begin) {
  std::string out;
  for (const OptionEntry& option : command.options) {
    out += begin;
    for (const auto& name : option.names)
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.value.empty())
      out += takes_file(option) ? " -r -F" : " -x";
    if (!option.words.empty())
      out += " -a " + fish_quoted(joined(option.words, " "));
    out += " -d " + fish_quoted(option.description) + "\n";
  }
  return out;
}

}  // namespace

std::string fish_completions(const CommandTree& tree) {
  const std::string begin = "complete -c perfmodel";
  std::string out =
      "# fish completions of perfmodel, as 'perfmodel completions fish' prints them\n" + begin +
      " -f\n" + fish_options(tree.program, begin + " -n __fish_use_subcommand");
  for (const CommandEntry& command : tree.commands) {
    out += begin + " -n __fish_use_subcommand -a " + command.name + " -d " +
           fish_quoted(command.description) + "\n";
  }
  for (const CommandEntry& command : tree.commands) {
    const std::string seen =
        begin + " -n " + fish_quoted("__fish_seen_subcommand_from " + command.name);
    out += fish_options(command, seen);
    const std::vector<std::string> words = argument_words(tree, command);
    if (!words.empty())
      out += seen + " -a " + fish_quoted(joined(words, " ")) + "\n";
    else if (!command.arguments.empty())
      out += seen + " -F\n";
  }
  return out;
}

}  // namespace perfmodel::cli
