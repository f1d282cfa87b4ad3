#include <functional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "perfmodel/error.hpp"
#include "report/documents.hpp"

namespace perfmodel::cli {

namespace {

/// The text of --help of a command; without a name, of the program.
using HelpOf = std::function<std::string(const std::string& command)>;

struct HelpArguments {
  std::string command = {};   ///< empty: the program
  std::string document = {};  ///< of `json`
  HelpOf help_of = {};
};

void setup_help(OptionSet& command, HelpArguments& arguments) {
  command.add("COMMAND", arguments.command,
              "default: perfmodel as a whole; json: the documents that it reads and writes");
  command.add("DOCUMENT", arguments.document, "with json: the fields of this document");
  command.footer(R"(Examples:
  perfmodel help
  perfmodel help fit
  perfmodel help json
  perfmodel help json model)");
}

std::string help_of_json(const std::string& document) {
  if (document.empty())
    return "perfmodel help json DOCUMENT lists the fields of:\n\n" + document_list();
  std::vector<std::string> names;
  for (const auto& [name, schema] : json_schemas()) {
    if (name == document)
      return "perfmodel/" + name + ": " + field_list(schema);
    names.push_back(name);
  }
  throw UsageError("unknown document '" + document + "'" + did_you_mean_one_of(document, names));
}

int run_help(const HelpArguments& arguments, Console& /*console*/) {
  const bool is_json = arguments.command == "json";
  if (!is_json && !arguments.document.empty())
    throw UsageError("unexpected argument '" + arguments.document + "'");
  OutputFile output("-");
  return finish(output,
                is_json ? help_of_json(arguments.document) : arguments.help_of(arguments.command));
}

}  // namespace

Command help_command(const HelpOf& help_of) {
  return make_command<HelpArguments>("help", "Prints the help of a command, or fields of JSON.",
                                     setup_help, run_help, {.help_of = help_of});
}

}  // namespace perfmodel::cli
