#include "cli/commands/suggest/suggest_command.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "analysis/plan/information.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/commands/suggest/suggest_text.hpp"
#include "cli/options/choices.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/option_set.hpp"
#include "cli/options/replaced_input.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/runs/range_check.hpp"
#include "fit/result/form.hpp"
#include "io/documents/space_json.hpp"
#include "io/documents/suggestion_json.hpp"
#include "io/file/output_file.hpp"
#include "model/design/known_levels.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/io/csv/csv.hpp"
#include "perfmodel/io/model/model_json.hpp"
#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kDefaultMost = 10;
constexpr std::size_t kMostCandidates = 20000;  // of --next

void check_combination(const SuggestArguments& arguments) {
  if (arguments.by != SuggestBy::time && !arguments.price)
    throw UsageError("--by cost and --by pareto need a --price");
  if (arguments.next && (arguments.price || arguments.most || !arguments.conditions.empty() ||
                         arguments.strict_range)) {
    throw UsageError(
        "--next looks for information; --price, --where, --top and --strict-range have no effect");
  }
  if (arguments.runs && !arguments.next)
    throw UsageError("--runs has no effect without --next");
  if (arguments.model == "-" && arguments.space == "-")
    throw UsageError("the model and the space cannot both come from standard input");
}

/// What will be printed, each configuration once: one of the lists, as JSON all of them.
std::vector<plan::Configuration> told_configurations(const SuggestArguments& arguments,
                                                     const SuggestionDocument& document) {
  const plan::Suggestions& found = document.suggestions;
  std::set<plan::Configuration> told;
  const auto tell = [&](const std::vector<plan::Suggestion>& suggestions) {
    for (const plan::Suggestion& suggestion : suggestions)
      told.insert(suggestion.configuration);
  };
  if (arguments.format == SuggestFormat::json)
    for (const auto* suggestions : {&found.fastest, &found.cheapest, &found.pareto})
      tell(*suggestions);
  else
    tell(chosen_suggestions(arguments, document));
  return {told.begin(), told.end()};
}

/// The levels have no lines in the file of a space that a message could name.
void refuse_unknown_levels(const Table& table, const ModelSpec& spec) {
  std::string problems;
  for (const UnknownLevel& unknown : rows_of_known_levels(table, spec).unknown) {
    const auto input = std::find_if(
        spec.categorical.begin(), spec.categorical.end(),
        [&](const CategoricalInput& candidate) { return candidate.column == unknown.column; });
    problems += (problems.empty() ? "" : "\n") + table.source + ": column '" + unknown.column +
                "': the model does not know the level " + quoted_cell(unknown.level) +
                "; it knows " + quoted_list(input->levels) +
                did_you_mean(unknown.level, input->levels);
  }
  if (!problems.empty())
    throw InputError(problems);
}

Design design_of_space(const plan::Space& space,
                       const std::vector<plan::Configuration>& configurations,
                       const ModelSpec& spec) {
  const Table table = plan::table_of(space, configurations);
  refuse_unknown_levels(table, spec);
  return make_design(table, spec, Target::absent);
}

std::vector<double> times_of(const FittedModel& model, const plan::Space& space,
                             const std::vector<plan::Configuration>& configurations) {
  const Eigen::VectorXd times = predict(model, design_of_space(space, configurations, model.spec));
  return {times.begin(), times.end()};
}

/// What the model's runs told already: the rows themselves where they are at hand, else as many
/// average configurations of the space.
Eigen::MatrixXd known_rows(const SuggestArguments& arguments, const FittedModel& model,
                           const plan::Linearisation& linearisation,
                           const Eigen::MatrixXd& candidates, Console& console) {
  if (arguments.runs) {
    const Table table = read_csv(*arguments.runs, categorical_columns(model.spec));
    return plan::sensitivities(linearisation, make_design(table, model.spec, Target::absent));
  }
  console.notice("without --runs the model is taken to have seen " +
                 std::to_string(model.provenance.rows) + " average configurations of the space");
  const double weight = std::sqrt(static_cast<double>(model.provenance.rows) /
                                  static_cast<double>(candidates.rows()));
  return candidates * weight;
}

void find_next(const SuggestArguments& arguments, const FittedModel& model,
               SuggestionDocument& document, Console& console) {
  if (model.form->name() != to_text(Expression::generic)) {
    throw UsageError("--next is for models of the generic form, and '" + arguments.model +
                     "' is a " + std::string(model.form->words().noun));
  }
  const plan::Space& space = document.space;
  const std::uint64_t seed = arguments.seed.value_or(kDefaultSeed);
  const auto size = space.size();
  // A small space as a whole; of a large one, as many as are quick to compare.
  std::vector<plan::Configuration> candidates;
  for (std::size_t n = size && *size < static_cast<double>(kMostCandidates)
                           ? static_cast<std::size_t>(*size)
                           : kMostCandidates;
       candidates.empty(); n = n / 2) {
    try {
      candidates = plan::random_plan(space, n, seed, {}).configurations;
    } catch (const InputError&) {
      if (n <= 1)
        throw;
    }
  }
  const plan::Linearisation linearisation{model.spec, model.constants};
  const Eigen::MatrixXd rows =
      plan::sensitivities(linearisation, design_of_space(space, candidates, model.spec));
  if (!rows.allFinite()) {
    throw InputError(space.source +
                     ": the model predicts what is no time for some configurations; the space "
                     "reaches too far from the measured ones");
  }
  const auto gains = plan::most_informative(
      known_rows(arguments, model, linearisation, rows, console), rows, *arguments.next);
  const auto times = times_of(model, space, candidates);
  for (const auto& gain : gains) {
    document.next.push_back({candidates[gain.row], times[gain.row], 0});
    document.next_gains.push_back(gain.log_determinant);
  }
}

/// Configurations to which the model gives no time are no suggestions.
void report_without_time(const SuggestionDocument& document, bool strict, Console& console) {
  const plan::Suggestions& found = document.suggestions;
  if (found.without_time == 0)
    return;
  const std::string text = document.space.source + ": for " + std::to_string(found.without_time) +
                           " of " + std::to_string(found.searched) +
                           " configurations the model predicts no time > 0 that a number holds";
  if (strict)
    throw InputError("--strict-range: " + text);
  console.warning(text + ": they are left out");
}

}  // namespace

void setup_suggest(OptionSet& command, SuggestArguments& arguments) {
  add_input(command, "MODEL.json", arguments.model, "a model that fit wrote").required();
  add_input(command, "SPACE.json", arguments.space,
            "what can be chosen, as plan takes it; every input of\nthe model is one of its columns")
      .required();
  add_choice<SuggestBy>(
      command, "--by", arguments.by,
      {{"time", SuggestBy::time}, {"cost", SuggestBy::cost}, {"pareto", SuggestBy::pareto}},
      "time (default), cost, or pareto: what no other beats in\nboth");
  command
      .add_option("--price", arguments.price,
                  "per unit of time, over the columns: 'workers*1.2';\nthe cost is time * price")
      .type_name("FORMULA");
  command
      .add_option("--where", arguments.conditions,
                  "a condition over the columns, time and cost, such as\n"
                  "'workers <= 4 && time < 0.5' (repeatable)")
      .type_name("CONDITION")
      .take_all()
      .allow_extra_args(false);
  add_count<std::size_t>(command, "--top", arguments.most,
                         "how many by time or by cost (default: 10)", 1);
  add_count<std::size_t>(command, "--next", arguments.next,
                         "instead: the N configurations whose measurement would\n"
                         "narrow the intervals of the constants most",
                         1);
  command.add_option("--runs", arguments.runs, "with --next: what was measured already")
      .type_name("RUNS.csv");
  add_count<std::uint64_t>(command, "--seed", arguments.seed,
                           "of the sample of a space too large to be searched\n(default: 1)", 0);
  add_strict_range(command, arguments.strict_range);
  add_choice<SuggestFormat>(
      command, "--format", arguments.format,
      {{"text", SuggestFormat::text}, {"csv", SuggestFormat::csv}, {"json", SuggestFormat::json}},
      "of the result (default: text)");
  add_output(command, arguments.output, "FILE");
  command.footer(
      "Examples:\n"
      "  perfmodel suggest model.json space.json --where 'filters == 32'\n"
      "  perfmodel suggest model.json space.json --price 'workers*1.2' --by pareto --format csv\n"
      "  perfmodel suggest model.json space.json --next 20 --runs runs.csv --format csv > "
      "next.csv");
}

int run_suggest(const SuggestArguments& arguments, Console& console) {
  check_combination(arguments);
  refuse_to_replace({arguments.model, arguments.space, arguments.runs}, arguments.output);
  OutputFile output(arguments.output);
  const FittedModel model = read_model(arguments.model);
  const plan::Space space = read_space(arguments.space);
  SuggestionDocument document{.space = space,
                              .suggestions = {},
                              .target = model.spec.target,
                              .unit = model.spec.unit,
                              .with_cost = arguments.price.has_value(),
                              .next = {},
                              .next_gains = {}};
  if (arguments.next) {
    find_next(arguments, model, document, console);
  } else {
    const plan::SuggestionRequest request{.price = arguments.price,
                                          .conditions = arguments.conditions,
                                          .most = arguments.most.value_or(kDefaultMost),
                                          .seed = arguments.seed.value_or(kDefaultSeed)};
    document.suggestions = plan::suggest(space, request, [&](const auto& configurations) {
      return times_of(model, space, configurations);
    });
    if (!document.suggestions.complete) {
      console.warning("the space is too large to be searched as a whole; these are the best of " +
                      std::to_string(document.suggestions.searched) + " random configurations");
    }
    report_without_time(document, arguments.strict_range, console);
    if (document.suggestions.allowed == 0)
      throw InputError("no configuration of " + space.source + " fulfils all conditions");
    const Design told =
        design_of_space(space, told_configurations(arguments, document), model.spec);
    report_range(check_range(model, told), arguments.strict_range, console);
  }
  switch (arguments.format) {
    case SuggestFormat::json:
      output.write(to_json(document));
      break;
    case SuggestFormat::csv:
      output.write(suggestions_csv(arguments, document));
      break;
    case SuggestFormat::text:
      output.write(printable(suggestions_text(arguments, document)));
      break;
  }
  output.commit();
  return 0;
}

}  // namespace perfmodel::cli
