#include <optional>
#include <string>
#include <vector>

#include "analysis/model_words.hpp"
#include "base/text.hpp"
#include "cli/certainty.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "cli/many_models.hpp"
#include "cli/model_sets.hpp"
#include "forms/scaling_belief.hpp"
#include "perfmodel/export.hpp"
#include "roles/quantities.hpp"

namespace perfmodel::cli {
namespace {

struct ShowArguments {
  std::string model;
  std::string pick;
  std::vector<std::string> ranked_at;  ///< settings of the ranking of many models
  std::string output = "-";
  std::optional<FormulaLanguage> language = {};  ///< nullopt: text
  std::optional<Quantity> least = {};            ///< of a request
  std::optional<Quantity> most = {};
  std::vector<Quantity> steps = {};
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
  add_input(command, "MODEL.json", arguments.model, "a model that fit wrote").required();
  command.choice<FormulaLanguage>(
      "--as", arguments.language,
      "text or latex: to read, with three digits; python, c, javascript or spreadsheet: to "
      "compute, with all digits; extrap: as Extra-P prints functions; nextflow, snakemake, "
      "galaxy or slurm: a bound as the memory or time that a workflow requests (default: text)");
  add_pick(command, arguments.pick);
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
  command.common({"--as", "--set"});
  command.footer(
      R"(The inputs of a python, c, javascript or spreadsheet formula are those of predict; it computes
derived columns itself. A spreadsheet reads inputs from defined names: name a cell 'filters', etc.

Examples:
  perfmodel show model.json
  perfmodel show model.json --as python > predict.py
  perfmodel show bound.json --as snakemake >> Snakefile
  perfmodel show bound.json --as slurm --at-least 1GB --steps 32GB,64GB,128GB)");
}

int run_show(const ShowArguments& arguments, Console& console) {
  OutputFile output(arguments.output);
  const ModelSet set = picked_models(arguments.model, arguments.pick);
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
