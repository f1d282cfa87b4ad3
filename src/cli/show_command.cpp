#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "analysis/constants.hpp"
#include "analysis/effects.hpp"
#include "analysis/scaling.hpp"
#include "analysis/selftest.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/runs.hpp"
#include "cli/text_table.hpp"
#include "report/documents.hpp"

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
  if (language != FormulaLanguage::text)
    return 0;
  if (centre)
    for (const Effect& effect : scale_effects_of(model, centre->configuration))
      console.notice(effect.column + " " + effect_in_words(effect) + " (at " + centre->place + ")");
  if (model.correction)
    console.notice("the process typically changes a time by " + percent(100 * *model.correction));
  return 0;
}

namespace {

using SelftestFigures = std::vector<SelftestFigure>;

/// Eleven significant digits, as NIST prints them.
std::string certified_number(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.11g", value);
  return text.data();
}

std::string digits_text(double digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.1f", digits);
  return text.data();
}

TextTable figures_table(const SelftestFigures& figures) {
  using enum Align;
  TextTable table({left, right, right, right, right, left});
  const std::string* problem = nullptr;
  for (const auto& figure : figures) {
    if (!problem || *problem != figure.problem) {
      if (problem)
        table.add({""});
      table.add({figure.problem, "certified", "computed", "digits", "promised"});
      problem = &figure.problem;
    }
    table.add({"  " + figure.quantity, certified_number(figure.certified),
               certified_number(figure.computed), digits_text(figure.digits),
               short_number(figure.promised), figure.passed() ? "" : "FAILED"});
  }
  return table;
}

TextTable exact_figures(const SelftestFigures& figures) {
  TextTable table(std::vector<Align>(7, Align::right));
  table.add({"problem", "quantity", "certified", "computed", "digits", "promised", "passed"});
  for (const auto& figure : figures) {
    table.add({figure.problem, figure.quantity, to_text(figure.certified), to_text(figure.computed),
               to_text(figure.digits), to_text(figure.promised),
               figure.passed() ? "true" : "false"});
  }
  return table;
}

std::string formatted(const SelftestFigures& figures, OutputFormat format) {
  OutputTables out(exact_figures(figures), [&] { return to_json(SelftestDocument{figures}); });
  out.add(figures_table(figures));
  return out.in(format);
}

}  // namespace

void setup_selftest(OptionSet& command, SelftestArguments& arguments) {
  add_format(command, arguments.format, "of the figures");
  command.footer(
      "Recomputes problems with known answers on this machine and prints how many digits match: a "
      "NIST\n"
      "reference problem, least absolute deviations with an answer in fractions, constants planted "
      "in\n"
      "simulated runs, and the kernel for every instruction set of this processor. Exit code 1 "
      "where\n"
      "fewer digits match than are promised.\n"
      "\n"
      "Examples:\n"
      "  perfmodel selftest\n"
      "  perfmodel selftest --format json > selftest.json");
}

int run_selftest_command(const SelftestArguments& arguments, Console& console) {
  OutputFile output("-");
  const SelftestFigures figures = run_selftest();
  output.write(formatted(figures, arguments.format));
  output.commit();
  std::size_t failed = 0;
  for (const auto& figure : figures)
    failed += figure.passed() ? 0U : 1U;
  if (failed > 0) {
    console.error(std::to_string(failed) + " of " + std::to_string(figures.size()) +
                  " figures have fewer matching digits than promised: do not trust this build on "
                  "this machine, and please report it");
    return 1;
  }
  console.notice("all " + std::to_string(figures.size()) + " figures have the promised digits");
  return 0;
}

}  // namespace perfmodel::cli
