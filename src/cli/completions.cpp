#include "cli/completions.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel::cli {

// Scripts by which shells complete command lines: commands, options, the words of options that take
// few, files elsewhere.

std::string bash_completions(const CommandTree& tree);
std::string zsh_completions(const CommandTree& tree);

/// Whether the value of an option, by what stands for it, is the name of a file.
bool takes_file(const OptionEntry& option);

/// The words that an argument of the command can be; none where it is a file.
std::vector<std::string> argument_words(const CommandTree& tree, const CommandEntry& command);

namespace {

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

OptionEntry option_entry(const CLI::Option& option, const OptionWords& words) {
  OptionEntry out;
  for (const auto& name : option.get_snames())
    out.names.push_back("-" + name);
  for (const auto& name : option.get_lnames())
    out.names.push_back("--" + name);
  if (option.get_positional() && out.names.empty())
    out.value = option.get_name(true);
  else if (option.get_expected_max() > 0)
    out.value = option.get_type_name();
  out.description = in_one_line(option.get_description());
  if (const auto found = words.find(&option); found != words.end())
    out.words = found->second;
  out.repeatable = option.get_trigger_on_parse() || option.get_items_expected_max() > 1;
  return out;
}

CommandEntry command_entry(const CLI::App& command, const OptionWords& words) {
  CommandEntry out;
  out.name = command.get_name();
  out.description = command.get_description();
  for (const CLI::Option* option : command.get_options()) {
    OptionEntry entry = option_entry(*option, words);
    (entry.names.empty() ? out.arguments : out.options).push_back(std::move(entry));
  }
  return out;
}

}  // namespace

CommandTree command_tree(const CLI::App& app, const OptionWords& words) {
  CommandTree out{command_entry(app, words), {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    out.commands.push_back(command_entry(*command, words));
  return out;
}

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

bool takes_file(const OptionEntry& option) {
  return option.value.find('.') != std::string::npos || option.value == "FILE" ||
         option.value == "DIR";
}

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

namespace {

/// Within single quotes, and in brackets or before a colon of a specification.
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
             (has_value && name.starts_with("--") ? "=" : "") + "[" + zsh_text(option.description) +
             "]" + (has_value ? zsh_value(option) : "") + "'";
    }
  }
  return out;
}

}  // namespace

std::string zsh_completions(const CommandTree& tree) {
  std::string out =
      "#compdef perfmodel\n"
      "# zsh completions of perfmodel, as 'perfmodel completions zsh' prints them\n"
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
  // In a folder of functions the file is the function; read by `source` it has yet to be named.
  return out +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _perfmodel ]]; then\n"
         "  _perfmodel \"$@\"\n"
         "else\n"
         "  compdef _perfmodel perfmodel\n"
         "fi\n";
}

}  // namespace perfmodel::cli
