#include <vector>

#include "base/text.hpp"
#include "cli/app/completions.hpp"

namespace perfmodel::cli {
namespace {

constexpr auto kBashHead =
    R"(# bash completions of perfmodel, as 'perfmodel completions bash' prints them
_perfmodel() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command='' options='' words='' files='yes' i
    COMPREPLY=()
    if [ "$current" = = ]; then
        current='' # --format=
    elif [ "$previous" = = ]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case ${COMP_WORDS[i]} in
)";

constexpr auto kBashTail = R"(    esac
    case $current in
    -*) [ -z "$options" ] || words=$options files='' ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    if [ -n "$files" ]; then
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
        compopt -o filenames 2>/dev/null
    fi
}
complete -F _perfmodel perfmodel
)";

std::string bash_case(const std::vector<std::string>& patterns, const std::string& action) {
  return "    " + joined(patterns, " | ") + ") " + action + " ;;\n";
}

/// What stands behind options that take a value.
std::string bash_values(const CommandEntry& command) {
  std::string out;
  for (const OptionEntry& option : command.options) {
    if (option.value.empty())
      continue;
    std::vector<std::string> patterns;
    for (const auto& name : option.names)
      patterns.push_back("'" + command.name + " " + name + "'");
    // What is neither a word nor a file has no completion.
    if (!option.words.empty())
      out += bash_case(patterns, "words='" + joined(option.words, " ") + "' options='' files=''");
    else if (!takes_file(option))
      out += bash_case(patterns, "return");
    else
      out += bash_case(patterns, "options=''");
  }
  return out;
}

}  // namespace

std::string bash_completions(const CommandTree& tree) {
  std::vector<std::string> names;
  for (const CommandEntry& command : tree.commands)
    names.push_back(command.name);
  std::string out = kBashHead;
  out += "        " + joined(names, " | ") +
         ") command=${COMP_WORDS[i]} && break ;;\n        esac\n    done\n    case $command in\n";
  const auto add = [&](const CommandEntry& command, const std::string& pattern) {
    std::vector<std::string> options;
    for (const OptionEntry& option : command.options)
      options.insert(options.end(), option.names.begin(), option.names.end());
    std::string action = "options='" + joined(options, " ") + "'";
    const std::vector<std::string> words = argument_words(tree, command);
    if (!words.empty())
      action += " words='" + joined(words, " ") + "'";
    if (!words.empty() || command.arguments.empty())
      action += " files=''";
    out += bash_case({pattern}, action);
  };
  add(tree.program, "''");
  for (const CommandEntry& command : tree.commands)
    add(command, command.name);
  out += "    esac\n    case \"$command $previous\" in\n";
  CommandEntry program = tree.program;
  program.name = "";
  out += bash_values(program);
  for (const CommandEntry& command : tree.commands)
    out += bash_values(command);
  return out + kBashTail;
}

}  // namespace perfmodel::cli
