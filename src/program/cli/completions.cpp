#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"

namespace perfmodel::cli {

// Completion scripts for shells: commands, options, enumerated values of options, and files.

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

/// "-o" and "--output"; empty for an argument.
std::vector<std::string> flags_of(const CLI::Option& option) {
  std::vector<std::string> out;
  for (const std::string& name : option.get_snames())
    out.push_back("-" + name);
  for (const std::string& name : option.get_lnames())
    out.push_back("--" + name);
  return out;
}

/// The placeholder of the option's value, "FILE"; empty for a flag.
std::string placeholder_of(const CLI::Option& option) {
  return option.get_expected_max() > 0 ? option.get_type_name() : "";
}

/// True if the placeholder denotes a file name.
bool takes_file(const std::string& placeholder) {
  return placeholder.find('.') != std::string::npos || placeholder == "FILE" ||
         placeholder == "DIR";
}

/// True if a value with this placeholder begins with a column name.
bool takes_columns(const std::string& placeholder) {
  return placeholder.starts_with("COL") || placeholder == "A,B";
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return flags_of(*option).empty(); });
}

/// The possible words for an argument of the command; empty if it is a file.
std::vector<std::string> argument_words(const CLI::App& program, const CLI::App& command,
                                        const OptionRecords& records) {
  if (&command == &program)
    return names_of_commands(program);
  for (const CLI::Option* argument : arguments_of(command)) {
    if (const auto& words = recorded(records.options, argument).words; !words.empty())
      return words;
    if (argument->get_name(true) == "COMMAND")
      return names_of_commands(program);
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

/// What the cases of a command's options do to complete a value; empty for a flag.
std::string bash_action(const CLI::Option& option, const OptionRecords& records) {
  const std::string value = placeholder_of(option);
  const std::vector<std::string>& words = recorded(records.options, &option).words;
  if (value.empty())
    return "";
  if (!words.empty())
    return "words='" + joined(words, " ") + "' options='' files=''";
  if (takes_columns(value))
    return value.ends_with("=VALUE") ? "columns='='" : "columns=','";
  return takes_file(value) ? "options=''" : "return";  // other values have no completion
}

std::string bash_completions(const CLI::App& program, const OptionRecords& records) {
  std::string commands;  // cases of the commands
  std::string values;    // cases of their options
  const auto add = [&](const CLI::App& command, const std::string& name) {
    std::vector<std::string> options;
    for (const CLI::Option* option : command.get_options()) {
      std::vector<std::string> patterns;
      for (const std::string& flag : flags_of(*option)) {
        options.push_back(flag);
        patterns.push_back("'" + name + " " + flag + "'");
      }
      if (const std::string action = bash_action(*option, records);
          !action.empty() && !patterns.empty())
        values += bash_case(patterns, action);
    }
    std::string action = "options='" + joined(options, " ") + "'";
    const std::vector<std::string> words = argument_words(program, command, records);
    if (!words.empty())
      action += " words='" + joined(words, " ") + "'";
    if (!words.empty() || arguments_of(command).empty())
      action += " files=''";
    commands += bash_case({name.empty() ? "''" : name}, action);
  };
  add(program, "");
  for (const CLI::App* command : commands_of(program))
    add(*command, command->get_name());
  return "# bash completions of perfmodel, as 'perfmodel completions bash' prints them\n" +
         std::string(kColumns) + kBashHead + "        " +
         joined(names_of_commands(program), " | ") +
         ") command=${COMP_WORDS[i]} && break ;;\n        esac\n    done\n    case $command in\n" +
         commands + "    esac\n    case \"$command $previous\" in\n" + values + kBashTail;
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

std::string zsh_value(const CLI::Option& option, const OptionRecords& records) {
  const std::string value = placeholder_of(option);
  const std::vector<std::string>& words = recorded(records.options, &option).words;
  std::string action = " ";
  if (value.empty())
    return "";
  if (!words.empty())
    action = "(" + joined(words, " ") + ")";
  else if (takes_columns(value))
    action = value.ends_with("=VALUE") ? " _perfmodel_names =" : " _perfmodel_names";
  else if (takes_file(value))
    action = "_files";
  return ":" + zsh_text(value) + ":" + action;
}

/// One specification per name of an option.
std::string zsh_options(const CLI::App& command, const OptionRecords& records,
                        const std::string& indentation) {
  std::string out;
  for (const CLI::Option* option : command.get_options()) {
    const std::string value = zsh_value(*option, records);
    std::string description = option->get_description();
    std::replace(description.begin(), description.end(), '\n', ' ');
    for (const std::string& flag : flags_of(*option))
      out += " \\\n" + indentation + "'" + (option->get_items_expected_max() > 1 ? "*" : "") +
             flag + (!value.empty() && flag.starts_with("--") ? "=" : "") + "[" +
             zsh_text(description) + "]" + value + "'";
  }
  return out;
}

std::string zsh_completions(const CLI::App& program, const OptionRecords& records) {
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
  for (const CLI::App* command : commands_of(program))
    out += "    '" + command->get_name() + ":" + zsh_text(command->get_description()) + "'\n";
  out += "  )\n  _arguments -C" + zsh_options(program, records, "    ") +
         " \\\n    '1:command:->command' '*::argument:->argument' && return\n"
         "  if [[ $state == command ]]; then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  case $words[1] in\n";
  for (const CLI::App* command : commands_of(program)) {
    const std::vector<std::string> words = argument_words(program, *command, records);
    out += "    " + command->get_name() + ")\n      _arguments" +
           zsh_options(*command, records, "        ");
    if (!words.empty())
      out += " \\\n        '1:word:(" + joined(words, " ") + ")'";
    else if (!arguments_of(*command).empty())
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

struct CompletionsArguments {
  std::string shell = {};
  std::string output = "-";
};

void setup_completions(OptionSet& command, CompletionsArguments& arguments) {
  const std::vector<std::string> shells = {"bash", "zsh"};
  command
      .add(
          "SHELL",
          [&arguments, shells](const std::string& text) {
            if (!contains(shells, text))
              throw OptionError("SHELL", "'" + text + "' is not one of " + quoted_list(shells));
            arguments.shell = text;
          },
          joined(shells, ", "))
      .words(shells)
      .required();
  add_output(command, arguments.output, "FILE");
  command.footer(R"(If they are installed with the program, the shell finds them automatically.

Examples:
  perfmodel completions bash > ~/.local/share/bash-completion/completions/perfmodel
  perfmodel completions zsh > ~/.zsh/functions/_perfmodel)");
}

}  // namespace

Command completions_command(const CLI::App& program, const OptionRecords& records) {
  return make_command<CompletionsArguments>(
      "completions", "Prints completions for a shell.", setup_completions,
      [&program, &records](const CompletionsArguments& arguments, Console& /*console*/) {
        OutputFile output(arguments.output);
        return finish(output, arguments.shell == "bash" ? bash_completions(program, records)
                                                        : zsh_completions(program, records));
      });
}

}  // namespace perfmodel::cli
