#include <functional>
#include <map>
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

/// What the outputs call things, for a reader who has runs and no other knowledge.
const std::map<std::string, std::string>& glossary() {
  static const std::map<std::string, std::string> words = {
      {"bound", "A value that 95 % of new runs, or what --quantile says, stay at or below."},
      {"central run", "The measured run nearest to all others; effects are of changes from there."},
      {"coverage", "The share of new runs that are meant to lie within an interval."},
      {"extrinsic", "An input that multiplies the time by E^q: q = -1 is ideal scaling."},
      {"gamma", "The rate of one worker in gamma n / (1 + sigma (n - 1) + kappa n (n - 1))."},
      {"intrinsic", "An input that adds its own term a I^p to the time: layers, an optimiser."},
      {"kappa", "The cost of n workers waiting for each other: above 0, more become slower."},
      {"MAPE", "The mean of |predicted - measured| / measured: the typical error of a prediction."},
      {"noise floor", "How far runs of one configuration differ: no model of them can do better."},
      {"p_fails", "The probability that a run fails, learnt from the runs that did and did not."},
      {"residual process",
       "A Gaussian process of what the formula leaves, learnt from runs nearby."},
      {"sigma", "The share of the work that waits for one worker at a time (Amdahl's law)."}};
  return words;
}

void setup_help(OptionSet& command, HelpArguments& arguments) {
  command.add("COMMAND", arguments.command,
              "default: perfmodel as a whole; json: the documents that it reads and writes; a word "
              "of the outputs, such as extrinsic; words: all of them");
  command.add("DOCUMENT", arguments.document, "with json: the fields of this document");
  command.footer(R"(Examples:
  perfmodel help
  perfmodel help fit
  perfmodel help json model
  perfmodel help central run)");
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

/// The explanation of a word, or of all for "words"; empty for another text.
std::string help_of_word(const std::string& word) {
  std::string text;
  for (const auto& [name, meaning] : glossary())
    if (word == name || word == "words")
      text += name + "\n" + meaning + "\n";
  return text;
}

int run_help(const HelpArguments& arguments, Console& /*console*/) {
  const bool is_json = arguments.command == "json";
  const std::string words = help_of_word(
      arguments.command + (arguments.document.empty() ? "" : " " + arguments.document));
  if (!is_json && words.empty() && !arguments.document.empty())
    throw UsageError("unexpected argument '" + arguments.document + "'");
  OutputFile output("-");
  return finish(output, !words.empty() ? words
                        : is_json      ? help_of_json(arguments.document)
                                       : arguments.help_of(arguments.command));
}

}  // namespace

Command help_command(const HelpOf& help_of) {
  return make_command<HelpArguments>("help", "Prints the help of a command, or fields of JSON.",
                                     setup_help, run_help, {.help_of = help_of});
}

}  // namespace perfmodel::cli
