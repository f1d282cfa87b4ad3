#include "cli/completions.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/runs.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel::cli {

// Completion scripts for shells: commands, options, enumerated values of options, and files.

namespace {

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

OptionEntry option_entry(const CLI::Option& option, const OptionRecords& records) {
  OptionEntry out;
  for (const auto& name : option.get_snames())
    out.names.push_back("-" + name);
  for (const auto& name : option.get_lnames())
    out.names.push_back("--" + name);
  if (option.get_positional() && out.names.empty())
    out.value = option.get_name(true);
  else if (option.get_expected_max() > 0)
    out.value = option.get_type_name();
  out.description = option.get_description();
  if (const auto found = records.options.find(&option); found != records.options.end())
    out.words = found->second.words;
  out.repeatable = option.get_items_expected_max() > 1;
  out.required = option.get_required();
  return out;
}

CommandEntry command_entry(const CLI::App& command, const OptionRecords& records) {
  CommandEntry out;
  out.name = command.get_name();
  out.description = command.get_description();
  for (const CLI::Option* option : command.get_options()) {
    OptionEntry entry = option_entry(*option, records);
    (entry.names.empty() ? out.arguments : out.options).push_back(std::move(entry));
  }
  return out;
}

}  // namespace

CommandTree command_tree(const CLI::App& app, const OptionRecords& records) {
  CommandTree out{command_entry(app, records), {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    out.commands.push_back(command_entry(*command, records));
  return out;
}

namespace {

/// True if the option's placeholder denotes a file name.
bool takes_file(const OptionEntry& option) {
  return option.value.find('.') != std::string::npos || option.value == "FILE" ||
         option.value == "DIR";
}

/// True if the value of the option begins with a column name.
bool takes_columns(const OptionEntry& option) {
  return option.value.starts_with("COL") || option.value == "A,B";
}

/// The possible words for an argument of the command; empty if it is a file.
std::vector<std::string> argument_words(const CommandTree& tree, const CommandEntry& command) {
  std::vector<std::string> names;
  for (const CommandEntry& each : tree.commands)
    names.push_back(each.name);
  if (&command == &tree.program)
    return names;
  for (const OptionEntry& argument : command.arguments) {
    if (!argument.words.empty())
      return argument.words;
    if (argument.value == "COMMAND")
      return names;
  }
  return {};
}

/// Column names from files are only used as words, never evaluated.
constexpr auto kColumns =
    R"(# the columns of the first of these words that is a file of runs or a model
_perfmodel_columns() {
    local word
    for word in "$@"; do
        [ -f "$word" ] || continue
        case $word in
        *.json | *.jsonl)
            head -n 1000 -- "$word" | sed 's/"target": *{"column"//g' | grep -o '"column": *"[^"]*"' |
                cut -d '"' -f 4 | awk '!seen[$0]++'
            return ;;
        *.csv | *.tsv)
            head -n 1 -- "$word" | tr ',;|\t' '\n\n\n\n' | sed 's/^"//; s/\r$//; s/"$//'
            return ;;
        esac
    done
}
)";

constexpr auto kBashHead = R"(_perfmodel() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command='' options='' words='' files='yes' columns='' i
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
    if [ -n "$columns" ]; then
        local before='' column
        case $current in
        *,*) before=${current%,*}, current=${current##*,} ;;
        esac
        while IFS= read -r column; do
            [[ $column != "$current"* ]] || COMPREPLY+=("$before$(printf %q "$column")${columns#,}")
        done < <(_perfmodel_columns "${COMP_WORDS[@]:1}")
        compopt -o nospace 2>/dev/null
        return
    fi
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

/// The cases that complete the values of options.
std::string bash_values(const CommandEntry& command) {
  std::string out;
  for (const OptionEntry& option : command.options) {
    if (option.value.empty())
      continue;
    std::vector<std::string> patterns;
    for (const auto& name : option.names)
      patterns.push_back("'" + command.name + " " + name + "'");
    // Other values have no completion.
    if (!option.words.empty())
      out += bash_case(patterns, "words='" + joined(option.words, " ") + "' options='' files=''");
    else if (takes_columns(option))
      out += bash_case(patterns, option.value.ends_with("=VALUE") ? "columns='='" : "columns=','");
    else if (!takes_file(option))
      out += bash_case(patterns, "return");
    else
      out += bash_case(patterns, "options=''");
  }
  return out;
}

std::string bash_completions(const CommandTree& tree) {
  std::vector<std::string> names;
  for (const CommandEntry& command : tree.commands)
    names.push_back(command.name);
  std::string out =
      "# bash completions of perfmodel, as 'perfmodel completions bash' prints them\n" +
      std::string(kColumns) + kBashHead;
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

/// Escapes text for single quotes and for a specification's brackets and colons.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      out += std::string("\\") + c;
    else
      out += c;
  return out;
}

std::string zsh_value(const OptionEntry& option) {
  std::string action = " ";
  if (!option.words.empty())
    action = "(" + joined(option.words, " ") + ")";
  else if (takes_columns(option))
    action = option.value.ends_with("=VALUE") ? " _perfmodel_names =" : " _perfmodel_names";
  else if (takes_file(option))
    action = "_files";
  return ":" + zsh_text(option.value) + ":" + action;
}

/// One specification per name of an option.
std::string zsh_options(const CommandEntry& command, const std::string& indentation) {
  std::string out;
  for (const OptionEntry& option : command.options) {
    for (const auto& name : option.names) {
      const bool has_value = !option.value.empty();
      out += " \\\n" + indentation + "'" + (option.repeatable ? "*" : "") + name +
             (has_value && name.starts_with("--") ? "=" : "") + "[" +
             zsh_text(in_one_line(option.description)) + "]" +
             (has_value ? zsh_value(option) : "") + "'";
    }
  }
  return out;
}

std::string zsh_completions(const CommandTree& tree) {
  std::string out =
      "#compdef perfmodel\n"
      "# zsh completions of perfmodel, as 'perfmodel completions zsh' prints them\n" +
      std::string(kColumns) +
      "_perfmodel_names() {\n"
      "  local -a names\n"
      "  names=(\"${(@f)$(_perfmodel_columns $words)}\")\n"
      "  compset -P '*,'\n"
      "  compadd -q -S \"$1\" -a names\n"
      "}\n"
      "_perfmodel() {\n"
      "  local curcontext=\"$curcontext\" state line\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const CommandEntry& command : tree.commands)
    out += "    '" + command.name + ":" + zsh_text(command.description) + "'\n";
  out += "  )\n  _arguments -C" + zsh_options(tree.program, "    ") +
         " \\\n    '1:command:->command' '*::argument:->argument' && return\n"
         "  if [[ $state == command ]]; then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  case $words[1] in\n";
  for (const CommandEntry& command : tree.commands) {
    const std::vector<std::string> words = argument_words(tree, command);
    out += "    " + command.name + ")\n      _arguments" + zsh_options(command, "        ");
    if (!words.empty())
      out += " \\\n        '1:word:(" + joined(words, " ") + ")'";
    else if (!command.arguments.empty())
      out += " \\\n        '*:file:_files'";
    out += "\n      ;;\n";
  }
  // In a directory of functions, the file is the function; `source` must register it.
  return out +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _perfmodel ]]; then\n"
         "  _perfmodel \"$@\"\n"
         "else\n"
         "  compdef _perfmodel perfmodel\n"
         "fi\n";
}

enum class Shell { bash, zsh };

struct CompletionsArguments {
  Shell shell = Shell::bash;
  std::function<CommandTree()> tree = {};
  std::string output = "-";
};

constexpr std::array<std::pair<std::string_view, Shell>, 2> kShells = {
    {{"bash", Shell::bash}, {"zsh", Shell::zsh}}};

void setup_completions(OptionSet& command, CompletionsArguments& arguments) {
  std::vector<std::string> names;
  for (const auto& [name, shell] : kShells)
    names.emplace_back(name);
  command
      .add(
          "SHELL",
          [&arguments, names](const std::string& text) {
            const auto found = std::find(names.begin(), names.end(), text);
            if (found == names.end())
              throw OptionError("SHELL", "'" + text + "' is not one of " + quoted_list(names));
            arguments.shell = kShells[static_cast<std::size_t>(found - names.begin())].second;
          },
          joined(names, ", "))
      .words(names)
      .required();
  add_output(command, arguments.output, "FILE");
  command.footer(R"(If they are installed with the program, the shell finds them automatically.

Examples:
  perfmodel completions bash > ~/.local/share/bash-completion/completions/perfmodel
  perfmodel completions zsh > ~/.zsh/functions/_perfmodel)");
}

int run_completions(const CompletionsArguments& arguments, Console& /*console*/) {
  OutputFile output(arguments.output);
  const CommandTree tree = arguments.tree();
  return finish(output,
                arguments.shell == Shell::bash ? bash_completions(tree) : zsh_completions(tree));
}

}  // namespace

Command completions_command(const std::function<CommandTree()>& tree) {
  return make_command<CompletionsArguments>("completions", "Prints completions for a shell.",
                                            setup_completions, run_completions, {.tree = tree});
}

}  // namespace perfmodel::cli
