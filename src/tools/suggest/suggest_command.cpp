#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/model_words.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "cli/certainty.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "cli/judged_runs.hpp"
#include "cli/model_sets.hpp"
#include "columns/design.hpp"
#include "columns/spec.hpp"
#include "forms/failure_model.hpp"
#include "forms/scaling_belief.hpp"
#include "jobs/settings.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"
#include "report/document.hpp"
#include "roles/left_out.hpp"
#include "storage/files.hpp"
#include "suggest/bounded_targets.hpp"
#include "suggest/plan_command.hpp"
#include "suggest/suggest_documents.hpp"
#include "table/expressions.hpp"
#include "table/formula.hpp"
#include "table/table.hpp"
#include "trust/turning.hpp"

namespace perfmodel::cli {
namespace {

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
  plan::Goal goal = plan::Goal::accuracy;  ///< of --next
  std::optional<std::string> runs;         ///< runs measured so far, for --next
  std::optional<std::string> among;        ///< candidates of --next
  std::optional<double> overhead;          ///< time to start a run, for --next
  std::optional<double> coverage;          ///< of the intervals; nullopt: the model's
  bool strict_range = false;
  OutputFormat format = OutputFormat::text;
  std::string output = "-";
};

/// Removes rows with levels that the model does not know. Returns a sentence about them, or nullopt
/// if there are none. Throws InputError if no row is left.
std::optional<std::string> drop_unknown_levels(Table& runs, const ModelSpec& spec) {
  const KnownLevelRows known = rows_of_known_levels(runs, spec);
  if (known.unknown.empty())
    return std::nullopt;
  const std::string words = runs.source + ": " + std::to_string(runs.rows() - known.rows.size()) +
                            " of " + std::to_string(runs.rows()) +
                            " rows are left out: " + because_of(known.unknown);
  if (known.rows.empty())
    throw InputError(words);
  runs = take_rows(runs, known.rows);
  return words;
}

std::vector<plan::Suggestion> chosen_suggestions(const SuggestArguments& arguments,
                                                 const SuggestionDocument& document) {
  if (!arguments.next)
    return document.suggestions.*(document.maximises ? &plan::Suggestions::best : arguments.by);
  std::vector<plan::Suggestion> out;
  for (const NextSuggestion& next : document.next)
    out.push_back(next.suggestion);
  return out;
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
  if (document.maximises)
    add_estimates(
        "value", "_value", suggestions.front().maximised.interval.has_value(),
        [&](std::size_t i) { return suggestions[i].maximised; }, table);
  const std::string next = arguments.goal == plan::Goal::fastest ? "improvement" : "gain";
  if (arguments.next)
    table.add_column(doc::numbers(next, next), [&](std::size_t i) {
      const plan::NextRun& run = document.next[i].run;
      return run.expected_improvement.value_or(run.deviation_gain / document.deviation);
    });
  else if (arguments.request.price)
    table.add_column(doc::numbers("cost", "cost"),
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
      "predicted_" + document.target, "", document.level.has_value(),
      [&](std::size_t i) {
        return plan::Estimate{suggestions[i].time, suggestions[i].interval};
      },
      table);
  for (std::size_t k = 0; k < document.bounded.size(); ++k) {
    const auto& [target, with_intervals] = document.bounded[k];
    add_estimates(
        "predicted_" + target, "_" + target, with_intervals,
        [&](std::size_t i) { return suggestions[i].bounded[k]; }, table);
  }
  if (document.with_p_fails)
    table.add_column(doc::numbers("p_fails", "p_fails"),
                     [&](std::size_t i) { return suggestions[i].p_fails; });
  add_merit(arguments, document, suggestions, table);
  const doc::Document out{.blocks = {table}, .json = [&] { return to_json(document); }};
  return out.in(arguments.format, output_width(arguments.output));
}

constexpr std::size_t kMostCandidates = 4000;
constexpr std::size_t kMostOfSpace = 1000;  // configurations over which uncertainty is averaged

std::vector<plan::Configuration> some(std::vector<plan::Configuration> configurations,
                                      std::size_t most, std::uint64_t seed) {
  if (configurations.size() > most) {
    RandomStream(seed, "space of interest").shuffle(std::span<plan::Configuration>(configurations));
    configurations.resize(most);
  }
  return configurations;
}

/// What --next chooses from, and how: the request has conditions and bounded targets.
struct Candidates {
  const plan::SuggestionRequest& request;
  const plan::Predict& predict;
  const plan::AreLikelyToFail& are_likely_to_fail;
};

/// Those of the configurations that fulfil the conditions, by ascending predicted times.
std::vector<plan::Configuration> allowed_of(const Candidates& choice, const plan::Space& space,
                                            std::vector<plan::Configuration> configurations) {
  plan::SuggestionRequest request = choice.request;
  request.most = configurations.size();
  if (configurations.empty())
    return {};
  const plan::Space listed = plan::space_of_rows(space, std::exchange(configurations, {}));
  for (plan::Suggestion& allowed : plan::suggest(listed, request, choice.predict).fastest)
    configurations.push_back(std::move(allowed.configuration));
  return configurations;
}

/// Runs that are known to --next.
struct KnownRuns {
  std::optional<Design> design;
  std::vector<plan::Configuration> tried;     ///< of the space, failed ones included
  std::vector<plan::Configuration> measured;  ///< of these, the successful ones
};

std::vector<plan::Configuration> candidates_of(const SuggestArguments& arguments,
                                               const plan::Space& space, const KnownRuns& known,
                                               const Candidates& choice, Console& console) {
  std::vector<plan::Configuration> out =
      arguments.among ? read_configurations(space, *arguments.among)
                      : plan::sample(space, kMostCandidates, arguments.request.seed);
  out.insert(out.end(), space.beyond.begin(), space.beyond.end());
  if (!arguments.request.conditions.empty())
    out = allowed_of(choice, space, std::move(out));
  if (out.empty())
    throw InputError("no configuration of " + space.source + " fulfils all conditions");
  const std::set<plan::Configuration> tried(known.tried.begin(), known.tried.end());
  std::vector<plan::Configuration> fresh;
  std::ranges::copy_if(out, std::back_inserter(fresh),
                       [&](const plan::Configuration& each) { return !tried.contains(each); });
  if (!fresh.empty())
    return fresh;
  if (arguments.goal == plan::Goal::fastest)
    throw InputError("every configuration of " + space.source + " was measured");
  console.notice("every configuration of " + space.source + " was measured: these are repeats" +
                 (arguments.space.empty() ? "" : "; without a space, --next goes beyond the runs"));
  return out;
}

KnownRuns known_runs(const SuggestArguments& arguments, const FittedModel& model,
                     const plan::Space& space, Console& console) {
  KnownRuns known;
  const bool for_fastest = arguments.goal == plan::Goal::fastest;
  if (arguments.space.empty()) {
    known.design = model.belief->known();
    known.tried = known.measured = space.rows;
  } else if (arguments.runs) {
    RunsFile file = read_further_runs({*arguments.runs}, categorical_columns(model.spec), {},
                                      model.provenance.reading);
    if (!arguments.among || for_fastest)
      known.tried = plan::contained_configurations(space, file.table);
    std::vector<std::string> left_out = leave_out_uncounted(file, model.spec).warnings;
    if (auto unknown = drop_unknown_levels(file.table, model.spec))
      left_out.push_back(*std::move(unknown));
    if (*arguments.runs != arguments.space)  // whose warnings were already given
      for (const std::string& sentence : left_out)
        console.warning(sentence);
    known.measured = plan::contained_configurations(space, file.table);
    known.design = make_design(file.table, model.spec, Target::absent);
  }
  return known;
}

std::string percent_of_log(double deviation) {
  return short_number(100 * std::expm1(deviation)) + " %";
}

/// The lowest predicted time of a measured configuration that fulfils the conditions, without one
/// the lowest of the candidates.
plan::Incumbent incumbent_of(const Candidates& choice, const plan::Space& space,
                             const KnownRuns& known, const Eigen::VectorXd& times,
                             Console& console) {
  const auto measured = allowed_of(choice, space, known.measured);
  const double best =
      measured.empty() ? times.minCoeff() : choice.predict({measured.front()}).front();
  console.notice("the lowest time predicted of a " +
                 std::string(measured.empty() ? "candidate" : "measured configuration") + " is " +
                 short_number(best));
  return {.best = std::log(best), .logs = times.array().log()};
}

/// The costs by which runs are chosen: the run that tells laws apart comes first, since the belief
/// knows of one law.
Eigen::VectorXd with_laws_first(const FittedModel& model, const plan::Space& space,
                                const std::vector<plan::Configuration>& candidates,
                                Eigen::VectorXd costs) {
  if (!model.known.laws)
    return costs;
  const std::vector<std::string> names = space.names();
  const auto column = std::ranges::find(names, model.known.laws->column) - names.begin();
  const double value = telling_value(*model.known.laws);
  for (std::size_t k = 0; k < candidates.size(); ++k)
    if (contains(space.beyond, candidates[k]) && candidates[k][to_size(column)] == value)
      costs[index(k)] = 0;
  return costs;
}

std::string all_likely_to_fail(const plan::Space& space) {
  return "every configuration of " + space.source + " that is left is likely to fail";
}

/// `--next`: adds the configurations whose measurement is most valuable to the document.
void suggest_next(const SuggestArguments& arguments, const FittedModel& model,
                  const Candidates& choice, SuggestionDocument& document, SearchProgress& progress,
                  Console& console) {
  const plan::Space& space = document.space;
  const std::uint64_t seed = arguments.request.seed;
  const KnownRuns known = known_runs(arguments, model, space, console);
  auto candidates = candidates_of(arguments, space, known, choice, console);
  if (choice.are_likely_to_fail) {
    document.suggestions.failing =
        plan::suggest(
            plan::space_of_rows(space, candidates),
            {.price = {}, .conditions = {}, .are_likely_to_fail = choice.are_likely_to_fail},
            choice.predict)
            .failing;
    document.suggestions.likely_to_fail =
        plan::erase_likely_to_fail(choice.are_likely_to_fail, candidates);
  }
  if (candidates.empty())
    throw InputError(all_likely_to_fail(space));
  const bool is_narrowed = arguments.among || !arguments.request.conditions.empty();
  const Design wanted = plan::design_of_space(
      space,
      is_narrowed ? some(candidates, kMostOfSpace, seed) : plan::sample(space, kMostOfSpace, seed),
      model.spec);
  const Design possible = plan::design_of_space(space, candidates, model.spec);
  const double usual_time = plan::times_within(model, wanted, space.source).mean();
  const Eigen::VectorXd times = plan::times_within(model, possible, space.source);
  // The cost of a run includes the time to start it. On a new machine, cheap runs tell only of what
  // bounds these.
  const double overhead =
      arguments.overhead.value_or(known.design ? usual_time : 3 * times.maxCoeff());
  const Eigen::VectorXd costs =
      (times.array() + overhead) * plan::prices(space, arguments.request.price, candidates).array();
  if (!known.design)
    console.notice("without --runs nothing of " + space.source +
                   " counts as measured, as on a new machine");
  const plan::Belief belief(model, wanted,
                            known.design.value_or(take_rows(wanted, std::vector<std::size_t>())));
  std::optional<plan::Incumbent> incumbent;
  if (arguments.goal == plan::Goal::fastest)
    incumbent = incumbent_of(choice, space, known, times, console);
  const auto show = [&](std::size_t done) {
    progress.show("choosing configurations to measure", done, *arguments.next);
  };
  const plan::NextRuns found =
      plan::next_runs(belief, wanted, possible, with_laws_first(model, space, candidates, costs),
                      *arguments.next, show, std::move(incumbent));
  document.deviation = found.deviation;
  document.suggestions.searched = candidates.size();
  document.suggestions.allowed = candidates.size();
  document.suggestions.complete = !arguments.among && plan::is_small(space, kMostCandidates);
  double deviation = found.deviation;
  for (const plan::NextRun& run : found.runs) {
    document.next.push_back({.suggestion = {.configuration = candidates[run.candidate],
                                            .time = times[index(run.candidate)],
                                            .cost = costs[index(run.candidate)]},
                             .run = run});
    plan::Suggestion& suggestion = document.next.back().suggestion;
    for (const plan::BoundedTarget& target : choice.request.bounded)
      suggestion.bounded.push_back(target.estimates({suggestion.configuration}).front());
    deviation -= run.deviation_gain;
  }
  console.notice("expected error of a prediction in this space: " +
                 (known.design ? percent_of_log(found.deviation) + " now, " : "") +
                 percent_of_log(deviation) + " with " +
                 (found.runs.size() == 1 ? "this run" : "these runs"));
}

bool is_of_runs(const std::string& space) {
  return !space.empty() && !is_document(space).value_or(!space.ends_with(".csv"));
}

/// The step ties that the space must keep. A column of a single value was set by the user, and is
/// not tied.
std::vector<Tie> steps_of(const ModelSpec& spec, const plan::Space& space, Console& console) {
  std::vector<Tie> steps;
  for (const Tie& tie : spec.ties)
    for (const plan::SpaceColumn& column : space.columns)
      if (tie.in_steps() && tie.column == column.name &&
          (column.is_range() || column.choices() > 1)) {
        steps.push_back(tie);
        if (tie.scale == tie.factors.front().column)  // once for several scales
          console.notice("'" + tie.column + "' is always " + law_of_step(tie));
      }
  return steps;
}

/// Adds the inputs that a space lacks.
void hold_missing(const RankingModels& models, plan::Space& space, Console& console) {
  for (const Column& held : models.held_columns(space.source, space.names(), console)) {
    space.columns.push_back({.name = held.name, .values = held.numbers, .levels = {}});
    if (!held.is_numeric())
      space.columns.back().levels = {held.text(0)};
    for (plan::Configuration& row : space.rows)
      row.push_back(held.is_numeric() ? held.numbers[0] : 0);
  }
}

/// The columns that conditions and formulas name.
std::set<std::string> named_columns(const SuggestArguments& arguments,
                                    const std::vector<std::string>& conditions) {
  const plan::SuggestionRequest& request = arguments.request;
  std::set<std::string> out;
  const auto add = [&](const std::string& formula, const std::string& option) {
    for (const std::string& name : Formula::names_in(formula, option))
      out.insert(name);
  };
  for (const auto* texts : {&request.conditions, &conditions})
    for (const std::string& condition : *texts)
      add(condition, "--where");
  if (request.price)
    add(*request.price, "--price");
  if (request.maximise)
    add(*request.maximise, "--maximise");
  if (request.each)
    out.insert(*request.each);
  return out;
}

/// Of choices with these columns: refuses one that may be a misspelt input, and tells of others
/// that no model and no formula uses. `is_always`: whether all choices have this value of a column.
void check_columns(
    const RankingModels& models, const std::string& source, const std::vector<std::string>& columns,
    std::set<std::string> used, bool tells_unused,
    const std::function<bool(const std::string& column, const std::string& value)>& is_always,
    Console& console) {
  std::vector<std::string> missing;
  for (const std::string& name : models.columns()) {
    used.insert(name);
    if (!contains(columns, name))
      missing.push_back(name);
  }
  const std::vector<std::string> inputs = input_columns(models.ranked.spec);
  used.insert(inputs.begin(), inputs.end());
  used.insert({"time", "cost"});  // names of figures, which are refused where these are formed
  for (const std::string& name : columns) {
    if (used.contains(name))
      continue;
    const std::vector<LeftOut>& left_out = models.ranked.provenance.left_out;
    const auto item = std::ranges::find(left_out, name, &LeftOut::column);
    const bool is_known = item != left_out.end();
    const std::string why = no_input(models.ranked, name, missing);
    if (!is_known && nearest(name, missing))
      throw UsageError(source + ": the model has no input '" + name + "'" + why);
    if (tells_unused &&
        !(is_known && item->because == LeftOut::Because::constant && is_always(name, item->value)))
      console.notice("'" + name + "' of " + source + " is not used: the model has no such input" +
                     (is_known ? why : ""));
  }
}

/// `finished`: set if its rows are runs that did not fail.
plan::Space space_of(const SuggestArguments& arguments, const RankingModels& models, bool& finished,
                     Console& console) {
  const FittedModel& model = models.ranked;
  if (arguments.space.empty()) {
    if (arguments.runs || arguments.among)
      throw UsageError("--runs and --among go with a space: name SPACE.json or the runs, RUNS.csv");
    plan::Space space = plan::space_around(model);
    hold_missing(models, space, console);
    return space;
  }
  if (!is_of_runs(arguments.space) || is_short_space(arguments.space, model.spec.target)) {
    plan::Space space = read_space(arguments.space);
    const auto is_always = [&](const std::string& name, const std::string& value) {
      const auto column = std::ranges::find(space.columns, name, &plan::SpaceColumn::name);
      return !column->is_range() && column->choices() == 1 &&
             column->text(column->choice(0)) == value;
    };
    check_columns(models, space.source, space.names(), named_columns(arguments, space.where), true,
                  is_always, console);
    hold_missing(models, space, console);
    if (!space.is_listed())
      space.steps = steps_of(model.spec, space, console);
    return space;
  }
  RunsFile file = read_further_runs({arguments.space}, categorical_columns(model.spec), {},
                                    model.provenance.reading);
  finished = file.table.find(judged_column(file.table, model.spec)) != nullptr;
  const auto is_always = [&](const std::string& name, const std::string& value) {
    const Column& column = file.table.at(name);
    return std::ranges::all_of(indices(file.table.rows()),
                               [&](std::size_t row) { return column.text(row) == value; });
  };
  check_columns(models, file.table.source, file.table.names(), named_columns(arguments, {}),
                !finished, is_always, console);
  for (const Column& held : models.held_columns(file.table.source, file.table.names(), console))
    file.table.columns.push_back(take_rows(held, std::vector<std::size_t>(file.table.rows(), 0)));
  const Table all = file.table;
  leave_out_noted(file, model.spec, console);
  if (const auto unknown = drop_unknown_levels(file.table, model.spec))
    console.warning(*unknown);
  make_design(file.table, model.spec, Target::absent);  // throws for cells that cannot be used
  plan::Space space = plan::space_of_runs(file.table, all, models.columns());
  if (arguments.next && finished) {
    space.steps = steps_of(model.spec, space, console);
    plan::bind_columns(space, file.table);
  }
  return space;
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
void add_certainty(const SuggestArguments& arguments, const FittedModel& model,
                   const plan::SuggestionRequest& request, SuggestionDocument& document) {
  document.level = interval_level(model, arguments.coverage, arguments.model);
  document.with_p_fails = model.failures != nullptr;
  const auto add = [&](plan::Suggestion& suggestion) {
    const std::vector<plan::Configuration> one = {suggestion.configuration};
    if (document.level) {
      const Certainty certainty =
          certainty_of(model, arguments.coverage, arguments.model,
                       plan::design_of_space(document.space, one, model.spec));
      suggestion.interval = (*certainty.intervals)[0].around(suggestion.time);
    }
    if (document.maximises)
      suggestion.maximised.interval = plan::maximised_interval(document.space, request, suggestion);
    if (model.failures)
      suggestion.p_fails = model.failures->probabilities(plan::table_of(document.space, one))[0];
  };
  plan::Suggestions& found = document.suggestions;
  for (auto* suggestions :
       {&found.fastest, &found.cheapest, &found.pareto, &found.best, &found.failing})
    std::ranges::for_each(*suggestions, add);
  for (NextSuggestion& next : document.next)
    add(next.suggestion);
}

/// "gpus=8 batch=64 (P = 0.72)", a line for each that is left out since it is likely to fail.
std::string failing_lines(const SuggestionDocument& document) {
  std::string out;
  for (const plan::Suggestion& each : document.suggestions.failing) {
    const std::vector<std::string> cells = document.space.cells(each.configuration);
    out += "\n ";
    for (std::size_t c = 0; c < cells.size(); ++c)
      out += " " + document.space.columns[c].name + "=" + cells[c];
    out += " (P = " + short_number(each.p_fails.value_or(1)) + ")";
  }
  return out;
}

/// Tells what is left out since predictions do not fulfil a condition.
void report_unmet(const SuggestionDocument& document, Console& console) {
  for (const auto& [condition, count] : document.suggestions.unmet)
    if (count > 0)
      console.notice(counted_noun(count, "configuration") + " of " + document.space.source +
                     " left out: --where '" + condition + "' does not hold");
}

/// Tells what is left out since it is likely to fail.
void report_failing(const SuggestionDocument& document, Console& console) {
  if (const std::size_t count = document.suggestions.likely_to_fail.value_or(0))
    console.notice(counted_noun(count, "configuration") + " of " + document.space.source +
                   " left out: they fail with P > " + short_number(FailureModel::most_accepted) +
                   "; the fastest:" + failing_lines(document));
}

/// Reports configurations without a valid prediction, which are not suggested.
void report_without_time(const SuggestionDocument& document, const std::vector<std::string>& turned,
                         bool strict, Console& console) {
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

/// Leaves configurations beyond the measured range of one of these columns without a time.
void forget_beyond(const ModelSpec& spec, const std::vector<std::string>& columns,
                   const Design& design, Eigen::VectorXd& times) {
  for (const std::string& column : columns)
    for (std::size_t n = 0; n < numeric_count(spec); ++n) {
      const NumericInput& input = numeric_input(spec, n);
      for (std::size_t row = 0; input.column == column && row < design.rows; ++row)
        if (!(numeric_factor(design, n).value(row) >= input.low &&
              numeric_factor(design, n).value(row) <= input.high))
          times[index(row)] = std::nan("");
    }
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
  command.count("--top N", arguments.request.most, "number of configurations, by time or by cost")
      .excludes("--next", reason);
  command.count("--next N", arguments.next,
                "instead: the N configurations most worth measuring; for their cost, they reduce "
                "the uncertainty of predictions over the space most");
  command
      .choice<plan::Goal>("--goal", arguments.goal,
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
          "--overhead TIME", arguments.overhead,
          "with --next: extra time of a run beyond its predicted time, in the same unit; large: "
          "every run costs alike (default: the mean predicted time; without runs three times the "
          "longest)")
      .needs("--next");
  command.count("--seed N", arguments.request.seed,
                "seed of the sample of a space too large to be searched", 0);
  add_coverage(command, arguments.coverage,
               "coverage of the intervals of predicted times (default: as in the model)");
  add_strict_range(command, arguments.strict_range).excludes("--next", reason);
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

int run_suggest(const SuggestArguments& asked, Console& console) {
  SuggestArguments arguments = asked;
  arguments.files.insert(arguments.files.begin(), arguments.model);
  OutputFile output(arguments.output);
  const auto set = models_of_files(arguments.files, arguments.pick, arguments.space);
  RankingModels models =
      ranking_models(set, arguments.request.conditions, arguments.request.maximise);
  const std::vector<std::string> turned =
      heed_turns(models.ranked, arguments.next.has_value(), console);
  const FittedModel& model = models.ranked;
  std::optional<SearchProgress> progress(console);
  progress->begin("reading " + (arguments.space.empty() ? arguments.model : arguments.space));
  bool finished = false;
  const plan::Space space = space_of(arguments, models, finished, console);
  if (finished && arguments.next && !arguments.runs)
    arguments.runs = arguments.space;
  progress->begin(arguments.next ? "choosing configurations to measure" : "ranking configurations");
  SuggestionDocument document{.space = space,
                              .suggestions = {},
                              .target = model.spec.target,
                              .unit = model.spec.unit,
                              .with_cost = arguments.request.price.has_value(),
                              .maximises = arguments.request.maximise.has_value(),
                              .next = {}};
  for (const FittedModel& each : models.bounded)
    document.bounded.emplace_back(each.spec.target, each.known.intervals.has_value());
  // A target that is bounded decides what can run: two judges would leave out what either refuses.
  const plan::AreLikelyToFail failing =
      models.are_limits ? plan::AreLikelyToFail() : plan::failing_of(model, space);
  plan::SuggestionRequest request = arguments.request;
  request.target = model.spec.target;
  request.bounded = bounded_targets(models.bounded, space, request.conditions, arguments.coverage,
                                    arguments.model, console);
  if (!arguments.next && !finished)
    request.are_likely_to_fail = failing;
  const auto all = static_cast<std::size_t>(space.size().value_or(0));
  std::size_t done = 0;
  const plan::Predict predict_times = [&](const auto& configurations) {
    progress->show(arguments.next ? "choosing configurations to measure" : "ranking configurations",
                   done, std::max(done, all));
    done += configurations.size();
    const Design design = plan::design_of_space(space, configurations, model.spec);
    Eigen::VectorXd times = predict(model, design);
    if (!arguments.next)
      forget_beyond(model.spec, turned, design, times);
    return std::vector<double>(times.begin(), times.end());
  };
  if (arguments.next) {
    suggest_next(arguments, model, {request, predict_times, failing}, document, *progress, console);
  } else {
    document.suggestions = plan::suggest(space, request, predict_times);
    if (!document.suggestions.complete) {
      console.warning("the space is too large to be searched as a whole; these are the best of " +
                      std::to_string(document.suggestions.searched) + " random configurations");
    }
    report_without_time(document, turned, arguments.strict_range, console);
    report_unmet(document, console);
    if (document.suggestions.allowed == 0)
      throw InputError(document.suggestions.likely_to_fail.value_or(0) > 0
                           ? all_likely_to_fail(space)
                       : !turned.empty() && document.suggestions.without_time > 0
                           ? "no configuration of " + space.source + " is within the measured " +
                                 quoted_list(turned) +
                                 " and fulfils all conditions; fit another form: --expression auto"
                           : "no configuration of " + space.source + " fulfils all conditions");
    const auto told = told_configurations(arguments, document);
    RangeCheck range = check_range(model, plan::design_of_space(space, told, model.spec));
    for (const FittedModel& each : models.bounded)
      for (const std::string& finding :
           check_range(each, plan::design_of_space(space, told, each.spec)).findings)
        if (!contains(range.findings, finding))
          range.findings.push_back(finding);
    report_range(range, arguments.strict_range, console);
  }
  add_certainty(arguments, model, request, document);
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
