#include "cli/commands/show_command.hpp"

#include <optional>
#include <string>
#include <vector>

#include "analysis/central/doubling.hpp"
#include "analysis/wording/words.hpp"
#include "base/text.hpp"
#include "cli/options/option_set.hpp"
#include "cli/options/replaced_input.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/runs/model_sets.hpp"
#include "cli/sets/set_summary.hpp"
#include "io/file/output_file.hpp"

namespace perfmodel::cli {

void setup_show(OptionSet& command, ShowArguments& arguments) {
  add_input(command, "MODEL.json", arguments.model, "a model that fit wrote").required();
  command
      .add_option_function(
          "--as",
          [&arguments](const std::string& word) {
            using enum FormulaLanguage;
            std::vector<std::string> names;
            for (const FormulaLanguage language :
                 {FormulaLanguage::text, latex, python, c, javascript, spreadsheet}) {
              names.emplace_back(to_text(language));
              if (names.back() == word) {
                arguments.language = language;
                return;
              }
            }
            throw OptionError("--as", "'" + word + "' is not one of " + quoted_list(names));
          },
          "text and latex to read, with three digits (default:\n"
          "text); python, c, javascript and spreadsheet to compute\nwith, with all digits")
      .type_name("text|latex|python|c|javascript|spreadsheet");
  add_pick(command, arguments.pick);
  command
      .add_option("--set", arguments.ranked_at,
                  "of many models: where they are ranked; what is not set\n"
                  "is as in the central run of each (repeatable)")
      .type_name("COL=VALUE");
  add_output(command, arguments.output, "FILE");
  command.footer(
      "The inputs of the languages that compute are the columns that predict asks for; derived\n"
      "columns are computed inside. A spreadsheet takes them from defined names: name a cell\n"
      "'filters', and so on.\n"
      "\n"
      "Examples:\n"
      "  perfmodel show model.json\n"
      "  perfmodel show model.json --as python > predict.py");
}

int run_show(const ShowArguments& arguments, Console& console) {
  refuse_to_replace(arguments.model, arguments.output);
  OutputFile output(arguments.output);
  const SetLines set = picked_models(arguments.model, arguments.pick);
  if (set.size() != 1 && !arguments.language) {
    const std::string ranking = set_summary(set, console, arguments.ranked_at);
    if (arguments.output == "-") {
      console.summary(ranking);
    } else {
      output.write(ranking);
      output.commit();
    }
    return 0;
  }
  if (!arguments.ranked_at.empty())
    throw UsageError("--set goes with a file of many models");
  const FittedModel model = model_of(set);
  const FormulaLanguage language = arguments.language.value_or(FormulaLanguage::text);
  output.write(formula_code(model, language));
  output.commit();
  const std::optional<Centre> centre = centre_of(model);
  if (language == FormulaLanguage::text && centre)
    for (const Doubling& doubling : doublings_of(model, centre->configuration))
      console.notice(doubling.column + " " + doubling_in_words(doubling) + " (at " + centre->place +
                     ")");
  return 0;
}

}  // namespace perfmodel::cli
