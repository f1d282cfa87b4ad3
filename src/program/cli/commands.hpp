#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/console.hpp"
#include "cli/option_set.hpp"
#include "storage/files.hpp"

namespace perfmodel::cli {

/// How the program was called.
struct Call {
  std::string line;                       ///< quoted for a shell
  std::vector<std::string> files = {};    ///< the arguments of the command
  std::vector<std::string> options = {};  ///< on which its results depend, "--l2=0.01"
};

/// A command of the program. The function that returns it is defined in NAME_command.cpp, and
/// listed in app.cpp or added by its tool.
struct Command {
  std::string name;
  std::string description;
  std::function<void(OptionSet&)> add_options;
  std::function<int(Console&)> run;  ///< returns the exit code
  Call* call = nullptr;              ///< set by the program if the command has to know it
};

/// How a command is made, anew for each command line, since it holds the arguments.
struct CommandEntry {
  std::string_view name;
  std::function<Command()> make;
  std::string_view after = "";  ///< of a tool: behind which command the help lists it
};

/// Libraries that a tool uses if they are there, as `--version` names them.
struct UsedLibraries {
  std::string (*line)();
  std::vector<std::string> (*black_boxes)();
};

/// A command with arguments of its own. Its exit code is 0, or 128 plus the signal that ended it
/// early, or as its documentation states.
template <class Arguments>
Command make_command(
    const std::string& name, const std::string& description, void (*setup)(OptionSet&, Arguments&),
    const std::type_identity_t<std::function<int(const Arguments&, Console&)>>& run,
    Arguments initial = {}) {
  const auto arguments = std::make_shared<Arguments>(std::move(initial));
  Command out{name, description, [=](OptionSet& options) { setup(options, *arguments); },
              [=](Console& console) { return run(*arguments, console); }};
  if constexpr (requires { arguments->call; })
    out.call = &arguments->call;
  return out;
}

/// Writes the result, completes it and returns the exit code 0.
inline int finish(OutputFile& output, std::string_view result) {
  output.write(result);
  output.commit();
  return 0;
}

}  // namespace perfmodel::cli
