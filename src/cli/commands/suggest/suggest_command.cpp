#include "cli/commands/suggest/suggest_command.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/suggest/space_designs.hpp"
#include "cli/commands/suggest/suggest_next.hpp"
#include "cli/commands/suggest/suggest_text.hpp"
#include "cli/options/choices.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/option_set.hpp"
#include "cli/options/replaced_input.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/runs/model_sets.hpp"
#include "cli/runs/range_check.hpp"
#include "cli/terminal/search_progress.hpp"
#include "io/documents/space_json.hpp"
#include "io/documents/suggestion_json.hpp"
#include "io/file/output_file.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/io/csv/csv.hpp"
#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"
#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kDefaultMost = 10;

void check_combination(const SuggestArguments& arguments) {
  if (arguments.by != SuggestBy::time && !arguments.price)
    throw UsageError("--by cost and --by pareto need a --price");
  if (arguments.next &&
      (arguments.most || !arguments.conditions.empty() || arguments.strict_range)) {
    throw UsageError(
        "--next looks for information; --where, --top and --strict-range have no effect");
  }
  for (const auto& [option, given] : {std::pair{"--runs", arguments.runs.has_value()},
                                      std::pair{"--among", arguments.among.has_value()},
                                      std::pair{"--overhead", arguments.overhead.has_value()}})
    if (given && !arguments.next)
      throw UsageError(std::string(option) + " has no effect without --next");
  if (arguments.model == "-" && arguments.space == "-")
    throw UsageError("the model and the space cannot both come from standard input");
}

bool is_of_runs(const SuggestArguments& arguments) {
  return arguments.space.ends_with(".csv");
}

plan::Space space_of(const SuggestArguments& arguments, const FittedModel& model,
                     Console& console) {
  if (!is_of_runs(arguments))
    return read_space(arguments.space);
  RunsFile file = read_runs(arguments.space, categorical_columns(model.spec));
  const Table all = file.table;
  if (const auto failed = drop_failed_runs(file, model.spec))
    console.warning(*failed);
  if (const auto unknown = drop_unknown_levels(file.table, model.spec))
    console.warning(*unknown);
  make_design(file.table, model.spec, Target::absent);  // says which cells cannot be used
  plan::Space space = plan::space_of_runs(file.table, all, required_columns(model.spec));
  if (arguments.next)
    plan::bind_columns(space, file.table);
  return space;
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
  if (arguments.format == OutputFormat::json)
    for (const auto* suggestions : {&found.fastest, &found.cheapest, &found.pareto})
      tell(*suggestions);
  else
    tell(chosen_suggestions(arguments, document));
  return {told.begin(), told.end()};
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
            "what can be chosen, as plan takes it; every input of\nthe model is one of its "
            "columns. Runs (*.csv)\nare ranked; --next seeks other combinations")
      .required();
  add_pick(command, arguments.pick);
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
                         "instead: the N configurations whose measurement would make\n"
                         "predictions over the space surer by most, for their cost",
                         1);
  command.add_option("--runs", arguments.runs, "with --next: what was measured already")
      .type_name("RUNS.csv");
  command
      .add_option("--among", arguments.among,
                  "with --next: the configurations that can be measured\n"
                  "(default: all of the space)")
      .type_name("PLAN.csv");
  add_number(command, "--overhead", arguments.overhead,
             "with --next: what a run takes beside its predicted\n"
             "time, in the same unit; large: every run costs alike\n"
             "(default: the mean predicted time)")
      .type_name("TIME");
  add_count<std::uint64_t>(command, "--seed", arguments.seed,
                           "of the sample of a space too large to be searched\n(default: 1)", 0);
  add_strict_range(command, arguments.strict_range);
  add_format(command, arguments.format, "of the result");
  add_output(command, arguments.output, "FILE");
  command.footer(
      "Examples:\n"
      "  perfmodel suggest model.json space.json --where 'filters == 32'\n"
      "  perfmodel suggest model.json space.json --price 'workers*1.2' --by pareto --format csv\n"
      "  perfmodel suggest model.json runs.csv --next 3\n"
      "  perfmodel suggest model.json space.json --next 20 --runs runs.csv --format csv > "
      "next.csv");
}

int run_suggest(const SuggestArguments& asked, Console& console) {
  check_combination(asked);
  SuggestArguments arguments = asked;
  if (is_of_runs(arguments) && arguments.next && !arguments.runs)
    arguments.runs = arguments.space;
  refuse_to_replace({arguments.model, arguments.space, arguments.runs, arguments.among},
                    arguments.output);
  OutputFile output(arguments.output);
  const FittedModel model = picked_model(arguments.model, arguments.pick);
  std::optional<SearchProgress> progress(console);
  progress->begin("reading " + arguments.space);
  const plan::Space space = space_of(arguments, model, console);
  progress->begin(arguments.next ? "choosing what to measure" : "ranking configurations");
  SuggestionDocument document{.space = space,
                              .suggestions = {},
                              .target = model.spec.target,
                              .unit = model.spec.unit,
                              .with_cost = arguments.price.has_value(),
                              .next = {}};
  if (arguments.next) {
    suggest_next(arguments, model, document, console);
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
  progress.reset();
  output.write(formatted(arguments, document));
  output.commit();
  return 0;
}

}  // namespace perfmodel::cli
