#include <vector>

#include "base/text.hpp"
#include "cli/app/completions.hpp"

namespace perfmodel::cli {
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
