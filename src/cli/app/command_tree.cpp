#include "cli/app/command_tree.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

namespace perfmodel::cli {
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

}  // namespace perfmodel::cli
