#include "cli/app/completions.hpp"

#include <algorithm>

namespace perfmodel::cli {

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

}  // namespace perfmodel::cli
