#include <algorithm>
#include <cmath>

#include "analysis/model_words.hpp"
#include "base/text.hpp"
#include "cli/certainty.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "cli/judged_runs.hpp"
#include "columns/design.hpp"
#include "columns/spec.hpp"
#include "forms/failure_model.hpp"
#include "perfmodel/fit.hpp"
#include "report/document.hpp"
#include "storage/files.hpp"
#include "suggest/bounded_targets.hpp"
#include "suggest/suggest_documents.hpp"
#include "table/cells.hpp"
#include "table/expressions.hpp"
#include "trust/turning.hpp"

namespace perfmodel::cli {
namespace {

constexpr double kMoreLikelyThanNot = 0.5;

/// One of the lists of suggestions.
using Ranking = std::vector<plan::Suggestion> plan::Suggestions::*;

struct SuggestArguments {
  std::string model;
  std::vector<std::string> files;  ///< further models and, last, the space
  std::string pick;
  std::string space;  ///< empty: the runs of the model
  Ranking by = &plan::Suggestions::fastest;
  plan::SuggestionRequest request;  ///< completed by what the models say
  std::optional<std::size_t> next;
  plan::NextRequest wanted;            ///< of --next, completed from the others
  std::optional<std::string> runs;     ///< runs measured so far, for --next
  std::optional<std::string> among;    ///< candidates of --next
  std::optional<double> coverage;      ///< of the intervals; nullopt: the model's
  InputOptions input;                  ///< how the space is read, where not as in the fit
  std::optional<double> most_p_fails;  ///< nullopt: by what judges the configurations
  bool strict_range = false;
  OutputFormat format = OutputFormat::text;
  std::string output = "-";
};

std::vector<plan::Suggestion> chosen_suggestions(const SuggestArguments& arguments,
                                                 const SuggestionDocument& document) {
  if (!arguments.next)
    return document.suggestions.*
           (document.request.maximise ? &plan::Suggestions::best : arguments.by);
  return mapped(document.next, &plan::NextSuggestion::suggestion);
}

/// Adds the columns of a predicted quantity: its value and, if there are some, the ends of its
/// intervals.
void add_estimates(const std::string& name, const std::string& suffix, bool with_intervals,
                   const std::function<plan::Estimate(std::size_t row)>& estimate,
                   doc::Table& table) {
  const auto add = [&](const std::string& heading, const auto& figure) {
    table.add_column(
        doc::numbers(heading, heading),
        [&](std::size_t row) { return doc::Cell(figure(estimate(row))); });
  };
  add(name, [](const plan::Estimate& of) { return of.value; });
  if (!with_intervals)
    return;
  add(
      "lower" + suffix, [](const plan::Estimate& of) { return of.interval->low; });
  add("upper" + suffix, [](const plan::Estimate& of) { return of.interval->high; });
}

/// Adds the cost or, for --next, the share of the present standard deviation that a run removes, or
/// the expected improvement.
void add_merit(const SuggestArguments& arguments, const SuggestionDocument& document,
               const std::vector<plan::Suggestion>& suggestions, doc::Table& table) {
  if (document.request.maximise)
    add_estimates(
        "value", "_value", suggestions.front().maximised.interval.has_value(),
        [&](std::size_t i) { return suggestions[i].maximised; }, table);
  const std::string next = arguments.wanted.goal == plan::Goal::fastest ? "improvement" : "gain";
  if (arguments.next)
    table.add_column(doc::numbers(next, next), [&](std::size_t i) {
      const plan::NextRun& run = document.next[i].run;
      return run.expected_improvement.value_or(run.deviation_gain / document.deviation);
    });
  else if (document.request.price)
    table.add_column(doc::numbers("cost (" + document.model.spec.target + " * (" +
                                      *document.request.price + "))",
                                  "cost"),
                     [&](std::size_t i) { return suggestions[i].cost; });
}

/// The requested list in the requested format: columns of the space, time, and cost or gain.
std::string formatted(const SuggestArguments& arguments, const SuggestionDocument& document) {
  const auto suggestions = chosen_suggestions(arguments, document);
  doc::Table table;
  table.rows.resize(suggestions.size());
  for (std::size_t c = 0; c < document.space.columns.size(); ++c) {
    const plan::SpaceColumn& column = document.space.columns[c];
    table.add_column(doc::numbers(column.name, column.name),
                     [&](std::size_t i) { return column.text(suggestions[i].configuration[c]); });
  }
  add_estimates(
      "predicted_" + document.model.spec.target, "", document.level.has_value(),
      [&](std::size_t i) {
        return plan::Estimate{suggestions[i].time, suggestions[i].interval};
      },
      table);
  if (const auto& deadline = document.request.deadline.text)
    table.add_column(doc::numbers("P(time <= " + *deadline + ")", "p_in_time"),
                     [&](std::size_t i) { return suggestions[i].p_in_time; });
  for (std::size_t k = 0; k < document.request.bounded.size(); ++k) {
    const plan::BoundedTarget& target = document.request.bounded[k];
    add_estimates(
        "predicted_" + target.name, "_" + target.name, target.with_intervals,
        [&](std::size_t i) { return suggestions[i].bounded[k]; }, table);
  }
  if (document.model.failures)
    table.add_column(doc::numbers("p_fails", "p_fails"),
                     [&](std::size_t i) { return suggestions[i].p_fails; });
  add_merit(arguments, document, suggestions, table);
  const doc::Document out{.blocks = {table}, .json = [&] { return to_json(document); }};
  return out.in(arguments.format, output_width(arguments.output));
}

std::string all_likely_to_fail(const plan::Space& space) {
  return "every configuration of " + space.source +
         " that is left is likely to fail; --max-p-fails 1 ranks them all";
}

/// The runs measured so far: those of --runs, of a space of runs, or that the model knows.
plan::KnownRuns runs_so_far(const SuggestArguments& arguments, const FittedModel& model,
                            const SpaceChoices& choices, Console& console) {
  if (!arguments.runs || arguments.runs == arguments.space)
    return choices.runs.value_or(plan::KnownRuns());
  return plan::known_runs(model, choices.space,
                          read_further_runs({*arguments.runs}, categorical_columns(model.spec), {},
                                            model.provenance.reading),
                          [&](const std::string& sentence) { console.warning(sentence); });
}

/// `--next`: adds the configurations whose measurement is most valuable to the document.
void suggest_next(const SuggestArguments& arguments, const SpaceChoices& choices,
                  SuggestionDocument& document, SearchProgress& progress, Console& console) {
  const plan::Space& space = document.space;
  const plan::KnownRuns known = runs_so_far(arguments, document.model, choices, console);
  plan::NextRequest wanted = arguments.wanted;
  wanted.count = *arguments.next;
  wanted.ranking = document.request;
  wanted.told = [&](std::size_t done) {
    progress.show("choosing configurations to measure", done, *arguments.next);
  };
  if (arguments.among)
    wanted.among = read_configurations(space, *arguments.among);
  plan::NextPlan found = plan::next_to_measure(document.model, space, known, wanted);
  if (found.are_repeats)
    console.notice(
        "every configuration of " + space.source + " was measured: these are repeats" +
        (arguments.space.empty() ? "" : "; without a space, --next goes beyond the runs"));
  if (found.runs.empty())
    throw InputError(all_likely_to_fail(space));
  if (!known.design)
    console.notice("without --runs nothing of " + space.source +
                   " counts as measured, as on a new machine");
  if (found.best)
    console.notice("the lowest time predicted of a " +
                   std::string(found.best_is_measured ? "measured configuration" : "candidate") +
                   " is " + short_number(*found.best));
  const auto percent_of_log = [](double deviation) {
    return short_number(100 * std::expm1(deviation)) + " %";
  };
  console.notice("expected error of a prediction in this space: " +
                 (known.design ? percent_of_log(found.deviation) + " now, " : "") +
                 percent_of_log(found.deviation_after) + " with " +
                 (found.runs.size() == 1 ? "this run" : "these runs"));
  document.suggestions = std::move(found.found);
  document.next = std::move(found.runs);
  document.deviation = found.deviation;
}

/// The configurations to be printed, without duplicates: those of the requested list or, as JSON,
/// of all lists.
std::vector<plan::Configuration> told_configurations(const SuggestArguments& arguments,
                                                     const SuggestionDocument& document) {
  const plan::Suggestions& found = document.suggestions;
  std::set<plan::Configuration> told;
  const auto tell = [&](const std::vector<plan::Suggestion>& suggestions) {
    for (const plan::Suggestion& suggestion : suggestions)
      told.insert(suggestion.configuration);
  };
  if (arguments.format == OutputFormat::json)
    for (const auto* suggestions : {&found.fastest, &found.cheapest, &found.pareto, &found.best})
      tell(*suggestions);
  else
    tell(chosen_suggestions(arguments, document));
  return {told.begin(), told.end()};
}

/// Adds, as far as the model says it, the intervals of the suggested times and how likely the
/// suggested runs fail.
void add_certainty(const SuggestArguments& arguments, SuggestionDocument& document) {
  const FittedModel& model = document.model;
  document.level = interval_level(model, arguments.coverage, arguments.model);
  const auto add = [&](plan::Suggestion& suggestion) {
    const std::vector<plan::Configuration> one = {suggestion.configuration};
    if (document.level) {
      const Certainty certainty =
          certainty_of(model, arguments.coverage, arguments.model,
                       plan::design_of_space(document.space, one, model.spec));
      suggestion.interval = (*certainty.intervals)[0].around(suggestion.time);
    }
    if (document.request.deadline.text)
      suggestion.p_in_time = plan::probability_in_time(model, document.space, suggestion,
                                                       document.request.deadline.time);
    if (document.request.maximise)
      suggestion.maximised.interval =
          plan::maximised_interval(model, document.space, document.request, suggestion);
    if (model.failures)
      suggestion.p_fails = model.failures->probabilities(plan::table_of(document.space, one))[0];
  };
  plan::Suggestions& found = document.suggestions;
  for (auto* suggestions :
       {&found.fastest, &found.cheapest, &found.pareto, &found.best, &found.failing})
    std::ranges::for_each(*suggestions, add);
  for (plan::NextSuggestion& next : document.next)
    add(next.suggestion);
}

/// "gpus=8 batch=64 (P = 0.72)", a line for each that is left out since it is likely to fail.
std::string failing_lines(const SuggestionDocument& document) {
  std::string out;
  for (const plan::Suggestion& each : document.suggestions.failing) {
    out += "\n  " + document.space.words(each.configuration) +
           " (P = " + short_number(each.p_fails.value_or(1)) + ")";
  }
  return out;
}

/// Tells what is left out since predictions do not fulfil a condition.
void report_unmet(const SuggestionDocument& document, Console& console) {
  for (const auto& [condition, count] : document.suggestions.unmet)
    if (count > 0)
      console.notice(counted_noun(count, "configuration") + " of " + document.space.source +
                     " left out: --where '" + condition + "' does not hold");
  const plan::Deadline& deadline = document.request.deadline;
  if (const std::size_t count = document.suggestions.late)
    console.notice(counted_noun(count, "configuration") + " of " + document.space.source +
                   " left out: P(time <= " + *deadline.text + ") is below " +
                   short_number(deadline.chance) + ", the --chance");
}

/// The deadline in the unit of the model. Throws UsageError for another text, and for a model that
/// does not tell how its times scatter.
double time_of_deadline(const std::string& text, const FittedModel& model) {
  if (!model.known.intervals || model.bound)
    throw UsageError("--deadline: the model " +
                     std::string(model.bound ? "predicts a bound; fit times: without --quantile"
                                             : "has no intervals; fit it with --coverage 0.9"));
  const auto quantity = parse_quantity(text);
  const auto unit = parse_quantity("1 " + model.spec.unit);
  const auto time = quantity && unit && quantity->unit == unit->unit
                        ? std::optional(quantity->value / unit->value)
                        : parse_number(text);
  if (!time || !(*time > 0))
    throw UsageError("--deadline '" + text + "': expected a number > 0, in the unit of '" +
                     model.spec.target + "', or a duration such as 30m" +
                     (unit ? "" : "; for that, fit --target-unit min"));
  return *time;
}

/// Tells what is left out since it is likely to fail.
void report_failing(const SuggestionDocument& document, Console& console) {
  if (const std::size_t count = document.suggestions.likely_to_fail.value_or(0))
    console.notice(counted_noun(count, "configuration") + " of " + document.space.source +
                   " left out, which --max-p-fails 1 takes back: they fail with P > " +
                   short_number(document.request.most_p_fails) +
                   "; the fastest:" + failing_lines(document));
}

/// Reports configurations without a valid prediction, which are not suggested.
void report_without_time(const SuggestionDocument& document, bool strict, Console& console) {
  const std::vector<std::string>& turned = document.request.within;
  const plan::Suggestions& found = document.suggestions;
  const auto report = [&](std::size_t count, const std::string& what) {
    if (count > 0)
      warn_or_refuse(document.space.source + ": for " + std::to_string(count) + " of " +
                         std::to_string(found.searched) + " configurations " + what,
                     ": they are left out", strict, console);
  };
  report(found.without_time, turned.empty()
                                 ? "the model predicts no time > 0 that a number holds"
                                 : "nothing is known beyond the measured " + quoted_list(turned));
  report(found.without_bounded, "a target that conditions bound cannot be predicted");
}

/// Warns of columns along which the runs contradict the model's advice, whose predictions are then
/// those of its runs. Returns the columns.
std::vector<std::string> heed_turns(FittedModel& model, bool next, Console& console) {
  const std::vector<Turn> turns = turns_against(model);
  if (turns.empty())
    return {};
  const std::vector<std::string> columns = mapped(turns, &Turn::column);
  console.warning(
      turn_in_words(model, turns.front()) +
      "; the times below are those of the runs without a formula" +
      (next ? ""
            : ", and nothing beyond the measured " + quoted_list(columns) + " is recommended") +
      "; fit another form: --expression auto");
  model = without_formula(model);
  return columns;
}

void setup_suggest(OptionSet& command, SuggestArguments& arguments) {
  constexpr auto reason = "it looks for information";
  add_input(
      command, "MODEL.json", arguments.model,
      "a model that fit wrote, or those of several targets, of which one is ranked and --where "
      "bounds the others")
      .required();
  command
      .add("SPACE.json|RUNS.csv", arguments.files,
           "the choices, in the formats of plan; inputs that are no columns are held at the "
           "central run. Rows are ranked; --next seeks other combinations of runs, rows without "
           "times are all that there is. Without a space: combinations of the runs that the model "
           "knows and, with --next, beyond their scales. Before the space, models of other targets "
           "can be named")
      .file(FileUse::input);
  add_pick(command, arguments.pick);
  command.choice<Ranking>("--by", arguments.by,
                          {{"time", &plan::Suggestions::fastest},
                           {"cost", &plan::Suggestions::cheapest},
                           {"pareto", &plan::Suggestions::pareto}},
                          "time, cost, or pareto: not beaten by another in both");
  command
      .add("--maximise FORMULA", arguments.request.maximise,
           "instead: a value, as 'batch_size*seq_len/time_s'; of inputs and predicted targets; its "
           "interval is from the lowest to the highest value at "
           "the ends of theirs")
      .excludes("--by cost|pareto", "there is one order")
      .excludes("--next", reason);
  command
      .add("--each COL", arguments.request.each,
           "the best configuration of every value of this column")
      .excludes("--by pareto", "that has no best one")
      .excludes("--top", "it lists one of every value")
      .excludes("--next", reason);
  command.rule({"--by cost|pareto", "--price", false, ""});
  command.add("--price FORMULA", arguments.request.price,
              "price per unit of time, over the columns: 'workers*1.2'; the cost is time "
              "* price (default: "
              "1)");
  command
      .add("--where CONDITION", arguments.request.conditions,
           "a condition over the columns, time, cost and other targets; these have to fulfil it at "
           "both ends of their intervals; such as 'workers <= 4 && time < 0.5' (repeatable)")
      .repeatable();
  command
      .add("--deadline TIME", arguments.request.deadline.text,
           "list the probability that a run takes at most this, and what keeps it with 90 %; a "
           "number in the unit of the model, or 30m")
      .excludes("--next", reason);
  command
      .number("--chance P", arguments.request.deadline.chance, "the probability that is asked for",
              {0.5, 1 - 1e-9, true, "a probability from 0.5 to below 1"})
      .needs("--deadline");
  command.count("--top N", arguments.request.most, "number of configurations, by time or by cost")
      .excludes("--next", reason);
  command.count("--next N", arguments.next,
                "instead: the N configurations most worth measuring; for their cost, they reduce "
                "the uncertainty of predictions over the space most");
  command
      .choice<plan::Goal>("--goal", arguments.wanted.goal,
                          "with --next: accuracy, or fastest: for their cost, the N improve the "
                          "fastest time most, on expectation; measured ones are left out")
      .needs("--next");
  command.rule({"--goal fastest",
                {"--runs",
                 [&] {
                   return arguments.runs ||
                          (!arguments.files.empty() && is_of_runs(arguments.files.back()));
                 }},
                false,
                "it improves on what was measured"});
  command.add("--runs RUNS.csv", arguments.runs, "with --next: the runs measured so far")
      .file(FileUse::input)
      .needs("--next");
  command
      .add("--among PLAN.csv", arguments.among,
           "with --next: the configurations that can be measured, in place of the space "
           "(default: all of the space)")
      .file(FileUse::input)
      .needs("--next");
  command
      .number(
          "--overhead TIME", arguments.wanted.overhead,
          "with --next: extra time of a run beyond its predicted time, in the same unit; large: "
          "every run costs alike (default: the mean predicted time; without runs three times the "
          "longest)")
      .needs("--next");
  command.count("--seed N", arguments.request.seed,
                "seed of the sample of a space too large to be searched", 0);
  add_coverage(command, arguments.coverage,
               "coverage of the intervals of predicted times (default: as in the model)");
  command.number(
      "--max-p-fails P", arguments.most_p_fails,
      "leave out what fails with a larger probability; 1: nothing (default: 0.25, with a "
      "bounded target 0.5)",
      {0, 1, true, "a probability from 0 to 1"});
  add_strict_range(command, arguments.strict_range).excludes("--next", reason);
  add_input_options(command, arguments.input);
  command.group("Options");
  add_format(command, arguments.format, "format of the result");
  add_output(command, arguments.output, "FILE");
  command.common({"--by", "--maximise", "--each", "--price", "--where", "--top", "--next"});
  command.footer(R"(Examples:
  perfmodel suggest model.json space.json --where 'filters == 32'
  perfmodel suggest model.json space.json --price 'workers*1.2' --by pareto --format csv
  perfmodel suggest both.jsonl --maximise 'batch_size/time_s' --where 'mem_mb < 79000' --each gpus
  perfmodel suggest model.json space.json --where '`config.gpus` < 8 && device != "a100"'
  perfmodel suggest model.json --next 3
  perfmodel suggest model.json space.json --next 20 --runs runs.csv --format csv > next.csv)");
}

/// Throws InputError if no configuration can be suggested.
void require_some(const SuggestionDocument& document) {
  const std::vector<std::string>& turned = document.request.within;
  const plan::Space& space = document.space;
  const plan::Suggestions& found = document.suggestions;
  if (found.allowed > 0)
    return;
  throw InputError(found.likely_to_fail.value_or(0) > 0 ? all_likely_to_fail(space)
                   : !turned.empty() && found.without_time > 0
                       ? "no configuration of " + space.source + " is within the measured " +
                             quoted_list(turned) +
                             " and fulfils all conditions; fit another form: --expression auto"
                       : "no configuration of " + space.source + " fulfils all conditions");
}

/// Adds the best configurations to the document.
void rank(const SuggestArguments& arguments, const std::vector<FittedModel>& bounded,
          SuggestionDocument& document, SearchProgress& progress, Console& console) {
  const FittedModel& model = document.model;
  const plan::Space& space = document.space;
  const auto all = static_cast<std::size_t>(space.size().value_or(0));
  plan::SuggestionRequest request = document.request;
  request.begins = [&](std::size_t done) {
    progress.show("ranking configurations", done, std::max(done, all));
  };
  document.suggestions = plan::suggest(model, space, request);
  if (!document.suggestions.complete)
    console.warning("the space is too large to be searched as a whole; these are the best of " +
                    std::to_string(document.suggestions.searched) + " random configurations");
  report_without_time(document, arguments.strict_range, console);
  report_unmet(document, console);
  require_some(document);
  const auto told = told_configurations(arguments, document);
  RangeCheck range = check_range(model, plan::design_of_space(space, told, model.spec));
  for (const FittedModel& each : bounded)
    for (const std::string& finding :
         check_range(each, plan::design_of_space(space, told, each.spec)).findings)
      if (!contains(range.findings, finding))
        range.findings.push_back(finding);
  report_range(range, arguments.strict_range, console);
}

int run_suggest(const SuggestArguments& asked, Console& console) {
  SuggestArguments arguments = asked;
  arguments.files.insert(arguments.files.begin(), arguments.model);
  OutputFile output(arguments.output);
  const auto set = models_of_files(arguments.files, arguments.pick, arguments.space);
  RankingModels models =
      ranking_models(set, arguments.request.conditions, arguments.request.maximise);
  const bool is_next = arguments.next.has_value();
  const std::vector<std::string> turned = heed_turns(models.ranked, is_next, console);
  const FittedModel& model = models.ranked;
  std::optional<SearchProgress> progress(console);
  progress->begin("reading " + (arguments.space.empty() ? arguments.model : arguments.space));
  if (arguments.space.empty() &&
      (arguments.runs || arguments.among || !arguments.input.facts.empty()))
    throw UsageError(
        "--runs, --among and --facts go with a space: name SPACE.json or the runs, RUNS.csv");
  const SpaceChoices choices =
      choices_in(arguments.space, arguments.input, arguments.request, is_next, models, console);
  progress->begin(is_next ? "choosing configurations to measure" : "ranking configurations");
  SuggestionDocument document{.model = model, .space = choices.space, .request = arguments.request};
  plan::SuggestionRequest& request = document.request;
  if (!is_next)
    request.within = turned;
  request.level =
      level_of_conditions(model, request.conditions, arguments.coverage, arguments.model, console);
  if (request.deadline.text)
    request.deadline.time = time_of_deadline(*request.deadline.text, model);
  request.bounded = bounded_targets(models.bounded, choices.space, request.conditions,
                                    arguments.coverage, arguments.model, console);
  // A target that is bounded decides what can run: of two judges, the second one refuses only what
  // is more likely to fail than not. Runs of a file that were measured did not fail.
  const bool may_fail = is_next || arguments.space.empty() || !choices.runs;
  request.most_p_fails =
      arguments.most_p_fails.value_or(!may_fail           ? 1
                                      : models.are_limits ? kMoreLikelyThanNot
                                                          : FailureModel::most_accepted);
  if (is_next)
    suggest_next(arguments, choices, document, *progress, console);
  else
    rank(arguments, models.bounded, document, *progress, console);
  add_certainty(arguments, document);
  progress.reset();
  report_failing(document, console);
  return finish(output, formatted(arguments, document));
}

}  // namespace

Command suggest_command() {
  return make_command<SuggestArguments>("suggest",
                                        "Finds the best configurations, or the next to measure.",
                                        setup_suggest, run_suggest);
}

}  // namespace perfmodel::cli
