#include "cli/app/manual.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {
namespace {

/// Text as roff takes it: a '-' that can be copied, and no line that is read as a request.
std::string roff(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\''))
      out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '~')
      out += "\\(ti";
    else
      out += c;
    at_start = c == '\n';
  }
  return out;
}

std::string bold(const std::string& text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// Lines that stand as they are.
std::string verbatim(const std::string& text) {
  return ".nf\n" + roff(text) + (text.ends_with("\n") ? "" : "\n") + ".fi\n";
}

std::string entry_text(const OptionEntry& option) {
  std::string head;
  for (const auto& name : option.names)
    head += (head.empty() ? "" : ", ") + bold(name);
  if (!option.value.empty())
    head += (head.empty() ? "\\fI" : " \\fI") + roff(option.value) + "\\fR";
  return ".TP\n" + head + "\n" + roff(option.description) + "\n";
}

std::string options_text(const CommandEntry& command) {
  std::string out;
  for (const OptionEntry& argument : command.arguments)
    out += entry_text(argument);
  if (!out.empty())
    out = ".SH ARGUMENTS\n" + out;
  out += ".SH OPTIONS\n";
  std::vector<std::string> groups;
  for (const OptionEntry& option : command.options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  for (const auto& group : groups) {
    if (group != "Options")
      out += ".SS " + roff(group) + "\n";
    for (const OptionEntry& option : command.options)
      if (option.group == group)
        out += entry_text(option);
  }
  return out;
}

/// What the help has below the options: notes, then examples.
std::string footer_text(const std::string& footer) {
  const std::string heading = "Examples:\n";
  const auto at = std::min(footer.find(heading), footer.size());
  std::string notes = footer.substr(0, at);
  notes.erase(notes.find_last_not_of('\n') + 1);
  std::string out;
  if (!notes.empty())
    out += ".SH NOTES\n" + verbatim(notes);
  if (at < footer.size())
    out += ".SH EXAMPLES\n" + verbatim(footer.substr(at + heading.size()));
  return out;
}

std::string commands_text(const CommandTree& tree) {
  std::string out = ".SH COMMANDS\n";
  for (const CommandEntry& command : tree.commands)
    out += ".TP\n" + bold("perfmodel-" + command.name) + "(1)\n" + roff(command.description) + "\n";
  return out;
}

std::string see_also(const CommandTree& tree, const std::string& but) {
  std::vector<std::string> pages;
  if (!but.empty())
    pages.push_back(bold("perfmodel") + "(1)");
  for (const CommandEntry& command : tree.commands)
    if (command.name != but)
      pages.push_back(bold("perfmodel-" + command.name) + "(1)");
  return ".SH \"SEE ALSO\"\n" + joined(pages, ",\n") + "\n";
}

}  // namespace

std::string manual_page(const CommandTree& tree, const std::string& command) {
  const auto found =
      std::find_if(tree.commands.begin(), tree.commands.end(),
                   [&](const CommandEntry& candidate) { return candidate.name == command; });
  if (!command.empty() && found == tree.commands.end()) {
    std::vector<std::string> names;
    for (const CommandEntry& known : tree.commands)
      names.push_back(known.name);
    throw UsageError("unknown command '" + command + "'" + did_you_mean(command, names));
  }
  const CommandEntry& entry = command.empty() ? tree.program : *found;
  const std::string page = command.empty() ? "perfmodel" : "perfmodel-" + command;
  const std::string call = command.empty() ? "perfmodel" : "perfmodel " + command;
  return ".TH " + upper_case(roff(page)) +
         " 1 \"\" \"perfmodel " PERFMODEL_VERSION
         "\" \"User Commands\"\n"
         ".SH NAME\n" +
         roff(page) + " \\- " + roff(entry.description) + "\n.SH SYNOPSIS\n" + bold(call) + " " +
         roff(entry.usage) + "\n.SH DESCRIPTION\n" + roff(entry.description) + "\n" +
         (command.empty() ? commands_text(tree) : "") + options_text(entry) +
         footer_text(entry.footer) + see_also(tree, command);
}

}  // namespace perfmodel::cli
