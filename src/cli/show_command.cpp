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
#include "report/document.hpp"
#include "report/documents.hpp"

namespace perfmodel::cli {
namespace {

struct SelftestArguments {
  OutputFormat format = OutputFormat::text;
  std::vector<std::string> nist;
  std::uint64_t seed = 1;
};

struct ShowArguments {
  std::string model;
  std::string pick;
  std::vector<std::string> ranked_at;  ///< settings of the ranking of many models
  std::string output = "-";
  std::optional<FormulaLanguage> language = {};  ///< nullopt: text
};

void setup_show(OptionSet& command, ShowArguments& arguments) {
  add_input(command, "MODEL.json", arguments.model, "a model that fit wrote").required();
  command.choice<FormulaLanguage>(
      "--as", arguments.language,
      "text or latex: to read, with three digits; python, c, javascript or spreadsheet: to "
      "compute, with all digits; extrap: as Extra-P prints functions; nextflow, snakemake or "
      "slurm: a bound as the memory or time that a workflow requests (default: text)");
  add_pick(command, arguments.pick);
  command.add(
      "--set COL=VALUE", arguments.ranked_at,
      "configuration at which many models are ranked; other inputs are those of one run for all "
      "(repeatable)");
  add_output(command, arguments.output, "FILE");
  command.common({"--as", "--set"});
  command.footer(
      R"(The inputs of a python, c, javascript or spreadsheet formula are those of predict; it computes
derived columns itself. A spreadsheet reads inputs from defined names: name a cell 'filters', etc.

Examples:
  perfmodel show model.json
  perfmodel show model.json --as python > predict.py
  perfmodel show bound.json --as snakemake >> Snakefile)");
}

int run_show(const ShowArguments& arguments, Console& console) {
  OutputFile output(arguments.output);
  const SetLines set = picked_models(arguments.model, arguments.pick);
  if (set.size() != 1 && !arguments.language) {
    const std::string ranking = set_summary(set, console, arguments.ranked_at);
    if (arguments.output != "-")
      return finish(output, ranking);
    console.summary(ranking);
    return 0;
  }
  if (!arguments.ranked_at.empty())
    throw UsageError("--set needs a file of many models");
  const FittedModel model = model_of(set);
  const FormulaLanguage language = arguments.language.value_or(FormulaLanguage::text);
  finish(output, formula_code(model, language));
  const std::optional<Centre> centre = centre_of(model);
  if (model.bound)
    console.notice(bound_notice(*model.bound) +
                   "; beyond the measured ranges predict raises it further, this code does not");
  if (language != FormulaLanguage::text)
    return 0;
  if (centre)
    for (const Effect& effect : scale_effects_of(model, centre->configuration))
      console.notice(effect.column + " " + effect_in_words(effect, &model.spec) + " (at " +
                     centre->place + ")");
  if (model.correction)
    console.notice("the residual correction (a Gaussian process) typically changes a time by " +
                   percent(100 * *model.correction));
  return 0;
}

using SelftestFigures = std::vector<SelftestFigure>;

/// Eleven significant digits, as in NIST's tables.
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

std::string formatted_figures(const SelftestFigures& figures, OutputFormat format) {
  doc::Table table{{doc::for_programs("problem"), doc::words("", "quantity"),
                    doc::numbers("certified", "certified", certified_number),
                    doc::numbers("computed", "computed", certified_number),
                    doc::numbers("digits", "digits", digits_text),
                    doc::numbers("promised", "promised"), doc::words(""),
                    doc::for_programs("passed")}};
  for (const auto& figure : figures) {
    if (table.groups.empty() || table.groups.back().second != figure.problem)
      table.add_group(figure.problem);
    table.add({figure.problem, doc::shown_as(figure.quantity, "  " + figure.quantity),
               figure.certified, figure.computed, figure.digits, figure.promised,
               figure.passed() ? "" : "FAILED", doc::truth(figure.passed())});
  }
  doc::Document out{.blocks = {table}, .json = [&] { return to_json(SelftestDocument{figures}); }};
  return out.in(format);
}

void setup_selftest(OptionSet& command, SelftestArguments& arguments) {
  add_format(command, arguments.format, "format of the figures");
  command
      .add("--nist FILE", arguments.nist,
           "instead the certified constants in NIST's files of nonlinear regression, as own "
           "formulas (repeatable)")
      .repeatable()
      .file(FileUse::input);
  command.count("--seed N", arguments.seed, "seed of the search", 0).needs("--nist");
  command.footer(
      R"(Recomputes problems with known answers on this machine and prints how many digits match: a NIST
reference problem, least absolute deviations with an answer in fractions, constants planted in
simulated runs, and the kernel for every instruction set of this processor. Exit code 1 if fewer
digits match than promised.

Examples:
  perfmodel selftest
  perfmodel selftest --nist data/nist/Misra1a.dat
  perfmodel selftest --format json > selftest.json)");
}

/// Returns 1 if a figure has fewer matching digits than required.
int run_selftest_command(const SelftestArguments& arguments, Console& console) {
  OutputFile output("-");
  SelftestFigures figures;
  for (const std::string& path : arguments.nist) {
    try {
      for (SelftestFigure& figure : run_nist(read_file(path), arguments.seed))
        figures.push_back(std::move(figure));
    } catch (const InputError& error) {
      throw InputError(path + ": " + error.sentence());
    }
  }
  if (arguments.nist.empty())
    figures = run_selftest();
  finish(output, formatted_figures(figures, arguments.format));
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

}  // namespace

Command show_command() {
  return make_command<ShowArguments>(
      "show", "Prints a model's formula, to read or to compute elsewhere.", setup_show, run_show);
}

Command selftest_command() {
  return make_command<SelftestArguments>("selftest", "Recomputes known answers on this machine.",
                                         setup_selftest, run_selftest_command);
}

}  // namespace perfmodel::cli
