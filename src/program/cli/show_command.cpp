#include <optional>
#include <string>
#include <vector>

#include "analysis/model_words.hpp"
#include "analysis/scaling.hpp"
#include "base/text.hpp"
#include "cli/certainty.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "cli/judged_runs.hpp"
#include "cli/many_models.hpp"
#include "cli/model_sets.hpp"
#include "columns/spec.hpp"
#include "effects/effects.hpp"
#include "forms/scaling_belief.hpp"
#include "page/plot.hpp"
#include "perfmodel/export.hpp"
#include "roles/quantities.hpp"
#include "table/expressions.hpp"

namespace perfmodel::cli {
namespace {

struct ShowArguments : JudgedRunsArguments {
  std::vector<std::string> ranked_at;  ///< settings of the ranking of many models
  std::string output = "-";
  std::optional<FormulaLanguage> language = {};  ///< nullopt: text
  std::optional<Quantity> least = {};            ///< of a request
  std::optional<Quantity> most = {};
  std::vector<Quantity> steps = {};
  bool plot = false;
  std::optional<std::string> over = {};  ///< column of the picture
};

Quantity parse_size(const std::string& flag, const std::string& text) {
  const auto size = parse_quantity(text);
  if (!size || size->unit == "%" || !(size->value > 0))
    throw OptionError(flag, "'" + text + "' is no memory or time > 0, such as 16GB or 2h");
  return *size;
}

/// The limits in bytes or seconds, as the request is.
RequestLimits limits_of(const ShowArguments& arguments, const FittedModel& model) {
  const auto one = unit_as_quantity(model.spec.target, model.spec.unit);
  const auto value_of = [&](const Quantity& limit) {
    if (one && one->unit != limit.unit)
      throw UsageError("the limits are in " + std::string(limit.unit) + ", and '" +
                       model.spec.target + "' is in " + std::string(one->unit));
    return limit.value;
  };
  RequestLimits out;
  if (arguments.least)
    out.least = value_of(*arguments.least);
  if (arguments.most)
    out.most = value_of(*arguments.most);
  out.steps = sorted_unique(mapped(arguments.steps, value_of));
  if (out.least && out.most && *out.least > *out.most)
    throw UsageError("--at-least is above --at-most");
  return out;
}

void setup_show(OptionSet& command, ShowArguments& arguments) {
  add_judged_runs(command, arguments, false);
  command.group("Options");
  command.choice<FormulaLanguage>(
      "--as", arguments.language,
      "text or latex: to read, with three digits; python, c, javascript or spreadsheet: to "
      "compute, with all digits; extrap: as Extra-P prints functions; nextflow, snakemake, "
      "galaxy or slurm: a bound as the memory or time that a workflow requests (default: text)");
  command.flag("--plot", arguments.plot, "a picture in the terminal: curve, band and RUNS")
      .excludes("--as");
  for (const char* flag : {"--target", "--separator", "--decimal", "--input-format", "--table",
                           "--sql", "--facts", "--failed", "--status", "--limit"})
    command.option(flag).needs("--plot");
  command
      .add("--over COL", arguments.over,
           "the numeric input along which it is (default: that with the largest effect)")
      .needs("--plot");
  command.add(
      "--set COL=VALUE", arguments.ranked_at,
      "configuration at which many models are ranked; other inputs are those of one run for all "
      "(repeatable)");
  const auto add_limit = [&](const char* flag, std::optional<Quantity>& limit, const char* help) {
    command.add(
        std::string(flag) + " SIZE",
        [&limit, flag](const std::string& text) { limit = parse_size(flag, text); }, help);
  };
  add_limit("--at-least", arguments.least, "a workflow requests no less than this: 1GB, 10min");
  add_limit("--at-most", arguments.most, "and no more than this");
  command.add(
      "--steps SIZE,SIZE",
      [&arguments](const std::string& text) {
        for (const std::string& size : split_list(text))
          arguments.steps.push_back(parse_size("--steps", size));
      },
      "sizes to which a workflow rounds its request up; the largest if it is above all");
  const Condition workflow = {"--as nextflow, snakemake, galaxy or slurm", [&arguments] {
                                return arguments.language && is_of_workflow(*arguments.language);
                              }};
  for (const char* flag : {"--at-least", "--at-most", "--steps"})
    command.option(flag).needs(workflow);
  add_output(command, arguments.output, "FILE");
  command.common({"--as", "--plot", "--set"});
  command.footer(
      R"(The inputs of a python, c, javascript or spreadsheet formula are those of predict; it computes
derived columns itself. A spreadsheet reads inputs from defined names: name a cell 'filters', etc.

Examples:
  perfmodel show model.json
  perfmodel show model.json runs.csv --plot --over workers
  perfmodel show model.json --as python > predict.py
  perfmodel show bound.json --as snakemake >> Snakefile
  perfmodel show bound.json --as slurm --at-least 1GB --steps 32GB,64GB,128GB)");
}

/// The input that was asked for, or that with the largest effect, counted as in numeric_input().
std::size_t input_of_picture(const FittedModel& model, const Configuration& at,
                             const std::optional<std::string>& over) {
  std::vector<std::string> names;
  for (const Effect& effect : effects_of(model, at))
    if (const NumericInput* input = input_called(model.spec, effect.column);
        input && input->low > 0)
      names.push_back(effect.column);
  if (names.empty())
    throw UsageError("--plot needs a model with a numeric input > 0 that can change alone");
  if (over && !contains(names, *over))
    throw OptionError("--over", "no curve along '" + *over + "': it is no numeric input > 0 that " +
                                    "can change alone; those are " + quoted_list(names));
  std::size_t n = 0;
  while (numeric_input(model.spec, n).column != over.value_or(names.front()))
    ++n;
  return n;
}

std::string plotted(const ShowArguments& arguments, const ModelSet& set, Console& console) {
  const FittedModel model = model_at_common_run(set);
  const std::optional<Centre> centre = centre_of(model);
  if (!centre)
    throw InputError("--plot needs the central run, which this model lacks: fit it again");
  const std::size_t numeric = input_of_picture(model, centre->configuration, arguments.over);
  // Without a file, the runs are those that the model remembers.
  Design design =
      model.belief ? model.belief->known() : design_of(centre->configuration, model.spec);
  if (!arguments.runs.empty())
    design = judge_runs(set, arguments, false, console).design;
  else if (!model.belief)
    design = take_rows(design, {});
  page::ScaleCurve curve =
      page::scale_curve(model, centre->configuration, numeric, design,
                        predictions_of(model, design).values, page::orders_of(design));
  if (curve.points.size() < 2)
    throw InputError("--plot: the model gives no times along '" + curve.column + "' at " +
                     centre->place + "; another input: --over COL");
  if (!is_speed(measure_of(model.spec)) || !scaling::counts_workers(curve.column))
    curve.forecasts.clear();
  return page::picture_of(curve, model.spec.target + " at " + centre->place,
                          shown_unit(model.spec));
}

int run_show(const ShowArguments& arguments, Console& console) {
  OutputFile output(arguments.output);
  const ModelSet set = picked_models(arguments.model, arguments.pick);
  if (!arguments.runs.empty() && !arguments.plot)
    throw UsageError("RUNS.csv is for --plot: the runs in the picture");
  if (arguments.plot)
    return finish(output, plotted(arguments, set, console));
  if (set.size() != 1 && !arguments.language) {
    const std::string ranking = many_models().ranking(set, console, arguments.ranked_at);
    if (arguments.output != "-")
      return finish(output, ranking);
    console.summary(ranking);
    return 0;
  }
  if (!arguments.ranked_at.empty())
    throw UsageError("--set needs a file of many models");
  const FittedModel model = model_of(set);
  const FormulaLanguage language = arguments.language.value_or(FormulaLanguage::text);
  finish(output, formula_code(model, {language, limits_of(arguments, model)}));
  const std::optional<Centre> centre = centre_of(model);
  if (model.bound)
    console.notice(bound_notice(*model.bound) +
                   "; beyond the measured ranges predict raises it further, this code does not");
  if (is_averaged(model))
    console.notice(averaging_in_words(model) + ": predict averages, this code does not");
  if (language != FormulaLanguage::text)
    return 0;
  if (centre)
    for (const Effect& effect : scale_effects_of(model, centre->configuration))
      console.notice(effect.column + " " + effect_in_words(effect, &model.spec) + " (at " +
                     centre->place + ")");
  if (model.known.correction && !is_averaged(model))
    console.notice("the residual correction (a Gaussian process) typically changes a time by " +
                   percent(100 * *model.known.correction));
  return 0;
}

}  // namespace

Command show_command() {
  return make_command<ShowArguments>(
      "show", "Prints a model's formula, to read or to compute elsewhere.", setup_show, run_show);
}

}  // namespace perfmodel::cli
