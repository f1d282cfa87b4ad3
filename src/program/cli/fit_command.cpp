#include "cli/fit_command.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "analysis/errors.hpp"
#include "analysis/model_words.hpp"
#include "base/text.hpp"
#include "cli/fit_summary.hpp"
#include "cli/many_models.hpp"
#include "columns/design.hpp"
#include "columns/replicates.hpp"
#include "effects/constants.hpp"
#include "fit/censored.hpp"
#include "forms/form.hpp"
#include "jobs/large_runs.hpp"
#include "storage/files.hpp"
#include "table/expressions.hpp"
#include "table/table.hpp"
#include "trust/cross_validation.hpp"
#include "trust/resampling.hpp"

namespace perfmodel::cli {

namespace {

/// Figures of conditions: of the test part, else of the training part; with a prefix, of any part.
FurtherFigures fit_figures() {
  FurtherFigures out;
  for (const char* part : {"train.", "validation.", "test.", "folds."})
    for (const auto& metric : gate_metrics())
      out.names.push_back(part + metric);
  out.words =
      std::string("; of a part: train., validation., test. or folds. before it") + kSetFigureWords;
  out.accepts = is_set_figure;
  return out;
}

/// Throws UsageError for a condition on a part that the split does not have.
void check_gated_parts(const FitArguments& arguments) {
  const SplitShares& shares = arguments.split.shares;
  const bool many = asks_for_many(arguments);
  for (const auto& gate : arguments.gates) {
    if (is_set_figure(gate.figure) != many) {
      throw UsageError("--fail-if '" + gate.text + "': " +
                       (many ? "for many models, name the group: 'any." + gate.text + "'"
                             : "there are no groups; pass --by"));
    }
    const auto lacks = [&](const std::string& part, bool exists, const std::string& advice) {
      if (gate.figure.starts_with(part + ".") && !exists)
        throw UsageError("--fail-if '" + gate.text + "': " + advice);
    };
    lacks("validation", shares.validation > 0,
          "there is no validation part; pass --split 60:20:20");
    lacks("test", shares.test > 0 || arguments.test.has_value(),
          "there is no test part; pass --split 80:20 or --test");
    lacks("folds", arguments.held_out.folds.has_value(), "there are no folds; pass --folds 5");
  }
}

/// Rows that are drawn while they are read: not if facts are appended to single rows.
std::optional<std::size_t> rows_to_draw(const FitArguments& arguments, const FitRequest& request) {
  if (arguments.prior || !arguments.input.facts.empty())
    return std::nullopt;
  return perfmodel::rows_to_draw(arguments.runs, request);
}

/// The runs for a single model: all rows, or some that are drawn.
LabelledRuns read_for_fit(const FitArguments& arguments, const FitRequest& request,
                          const std::optional<std::size_t>& drawn, Console& console,
                          const ReadProgress& progress) {
  if (const FittedModel* const earlier = request.options.earlier())
    return told(label_runs(read_further_runs(arguments.runs, categorical_columns(earlier->spec),
                                             {arguments.input, request.roles.failed,
                                              request.roles.limit, request.roles.status},
                                             earlier->provenance.reading, progress),
                           *earlier, request.roles),
                console);
  if (!drawn)
    return read_labelled_runs(arguments.runs, request.roles, arguments.input, console, progress);
  return told(draw_runs(arguments.runs.front(), *drawn, request.roles, arguments.input,
                        request.options, progress),
              console);
}

std::string name_of(FitStage stage) {
  return std::string(to_text(stage));
}

/// Weighs the stages by their numbers of fits. Each of the two stages that select a form takes
/// about as long as all that follows.
void plan_fit(const PreparedFit& prepared, const FitRequest& request, SearchProgress& progress) {
  const auto samples = static_cast<double>(request.bootstrap ? request.bootstrap->samples : 0);
  const auto folds = static_cast<double>(prepared.held_out.parts.size());
  const bool chooses = chooses_terms(request.options);
  const double choice = chooses ? std::max(1.0, samples + folds) : 0;
  progress.plan({{name_of(FitStage::sums), choice},
                 {name_of(FitStage::corrections), choice},
                 {name_of(FitStage::fits), chooses ? 0 : static_cast<double>(request.repeats)},
                 {name_of(FitStage::bootstrap), samples},
                 {name_of(FitStage::folds), folds}});
}

/// Shows the progress of the fit, and of its search if there is only one.
void watch_fit(const PreparedFit& prepared, FitRequest& request, SearchProgress& progress,
               const Console& console) {
  plan_fit(prepared, request, progress);
  progress.begin(name_of(request.options.as<AutomaticOptions>() != nullptr ? FitStage::corrections
                                                                           : FitStage::fits));
  request.progress = [&progress](FitStage stage, std::size_t done, std::size_t all) {
    const bool even = stage != FitStage::sums && stage != FitStage::corrections;
    progress.show(name_of(stage), done, all, even);
  };
  if (console.shows_progress())
    request.options.observer = [&](const optimise::Progress& state) { progress.show(state); };
}

HeldOutRequest::Folds parse_folds(const std::string& text) {
  if (text == "all")
    return {};
  const auto count = parse_number(text);
  if (!count || *count < 2 || *count > 1e6 || *count != std::floor(*count))
    throw OptionError("--folds", "'" + text + "' is neither 'all' nor a number >= 2");
  return {static_cast<std::size_t>(*count)};
}

/// Adds `--folds`, `--group-by` and `--coverage`.
void add_held_out_options(OptionSet& app, HeldOutRequest& request) {
  app.group("Judging the model");
  app.add(
         "--folds K|all", request.folds, parse_folds,
         "K-fold cross-validation on the training rows; all: leave one group out; the model itself "
         "is "
         "still fitted to all of them")
      .not_of(kBound);
  app.add("--group-by COL", request.group_by,
          "rows with one value of this column are held out together (default: those of one "
          "configuration)");
  app.add(
         "--coverage SHARE|none",
         [&](const std::string& text) {
           request.intervals = text != "none";
           request.coverage.reset();
           if (!request.intervals)
             return;
           request.coverage = parse_number(text);
           if (!request.coverage || !(*request.coverage > 0 && *request.coverage < 1))
             throw OptionError("--coverage",
                               "'" + text + "' is neither none nor a share such as 0.9");
         },
         "prediction intervals that cover this share of new times, from the validation rows if "
         "there are any, else from folds, and from how run times of other programs scale; none: "
         "no intervals and the formula alone, which takes less time (default: 0.9)")
      .not_of(kBound);
}

void add_judging_options(OptionSet& command, FitArguments& arguments) {
  command.group("Judging the model");
  add_split_options(command, arguments.split, "all rows train");
  command.option("--split-seed").needs("--split");
  command.add("--test FILE", arguments.test, "further runs to test the model on")
      .of_program()
      .file(FileUse::input)
      .excludes({"a --split that has test rows", [&] { return arguments.split.shares.test > 0; }},
                "leave the test share out: --split 80:20:0")
      .not_of(kMany);
  constexpr std::size_t fewest_samples = 20;
  command
      .count(
          "--bootstrap N", arguments.bootstrap,
          "intervals of the constants from N resamples of the training rows, such as 200, of the "
          "level of --coverage, else of 0.95 (default: none)",
          fewest_samples)
      .not_of(kBound);
  add_held_out_options(command, arguments.held_out);
  add_gates(command, arguments.gates,
            "end with exit code 4 if this holds, 'mape>10' or 'r2<0.9'; on the test part, or on "
            "the training part if there is none, or on a named part (repeatable): "
            "'train.mape>10', 'folds.mape>12', or of many models: 'any.mape>20', "
            "'kernel=x.q[gpus]>0.2'; the model is written all the same",
            fit_figures());
  command.common({"--test"});
}

/// An earlier model has its form and the roles of its columns.
void add_prior(OptionSet& command, std::optional<std::string>& prior) {
  command
      .add("--prior OLD.json", prior,
           "an earlier model, of another machine for instance: its constants change only as far as "
           "these runs, which may be few, ask for")
      .file(FileUse::input)
      .not_of(kMany);
  command.kind({kPrior, "--prior", "the earlier model has its form and the roles of its columns"});
}

/// Runs that were ended at their limits, and what tells which.
void add_cut_runs(OptionSet& command, RoleRequest& roles, const Condition& many) {
  constexpr auto censors = "--failed censor";
  command.group("Reading files");
  command
      .add("--limit COL", roles.limit,
           "when a run would have been ended: a column, or a number or quantity for all runs (2h)")
      .needs(censors);
  command.add("--status COL", roles.status, kStatusHelp).not_of(kMany);
  command.kind({kCensored, censors,
                "which rows count is found as the fit goes on, by local refinement of one model of "
                "times without penalties"});
  command.rule({censors, "--prior", true, "the earlier model takes all times as measured"});
  command.rule({censors, many, true, "limits are of the runs of one model"});
  command.rule({"--loss mse", censors, true,
                "squared errors of the times would need the distribution of the longest"});
}

void add_sample_rows(OptionSet& app, std::optional<std::size_t>& rows) {
  constexpr std::size_t fewest = 10;
  app.group("Reading files");
  app.count("--sample-rows N", rows,
            "fit N rows, drawn at random (default: all, but 50000 if terms are chosen, and 100000 "
            "of a file of more than 1 GiB)",
            fewest);
}

void add_quantile(OptionSet& app, SearchArguments& arguments) {
  app.group("Loss");
  app.number("--quantile TAU", arguments.options.quantile,
             "fit a bound that this share of new runs stays at or below, not their middle: pinball "
             "loss of mae or mape, moved by held-out rows (default of chosen terms: mape)",
             {1e-9, 1 - 1e-9, true, "a share between 0 and 1 such as 0.95"})
      .not_of(kPrior)
      .excludes("--loss mse|rmsle|huber", "a bound minimises weighted absolute errors");
  app.kind({kBound, "--quantile",
            "held-out rows have moved the bound away from the constants that it would vary"});
}

void setup_fit(OptionSet& command, FitArguments& arguments) {
  const Condition many = {"many models at once", [&] { return asks_for_many(arguments); }};
  command.kind({kMany, many, "it is of fits of one model"});
  command
      .add("RUNS.csv", arguments.runs,
           "measured runs, one per line; several files with the same columns are one table; \"-\" "
           "is stdin")
      .file(FileUse::input)
      .required();
  add_output(command, arguments.output, "MODEL.json",
             "file for the model; an existing file is replaced only when the result is complete "
             "(default: standard output, \"-\", but not to a terminal)");
  add_role_options(command, arguments.roles, arguments.input, true);
  command.group("Columns");
  command
      .flag("--keep-totals", arguments.keep_totals,
            "keep a total over all workers (global_batch) as an input, not its value per worker")
      .not_of(kMany)
      .needs("--expression auto");
  add_sample_rows(command, arguments.sample_rows);
  command.option("--facts").not_of(kMany);
  add_search_options(command, arguments.search);
  add_quantile(command, arguments.search);
  command
      .count("--repeats N", arguments.repeats,
             "fits with N successive seeds; the best one is the model; mean and spread over the "
             "seeds are reported, too")
      .not_of(kPrior | kGp | kBound | kCensored);
  command.rule({"--repeats !1",
                {"--expression auto if it may add a residual correction",
                 [&] { return residual_of(arguments.search) != Residual::none; }},
                true,
                "add --residual none"});
  add_prior(command, arguments.prior);
  add_cut_runs(command, arguments.roles, many);
  add_judging_options(command, arguments);
  for (const ManyModels& many_models : added<ManyModels>())
    many_models.add_options(command, arguments);
  command.footer(R"(Examples:
  perfmodel fit runs.csv -o model.json
  perfmodel fit runs.csv --expression auto -o model.json
  perfmodel fit runs.csv --split 60:20:20 --fail-if 'mape>20' -o model.json
  perfmodel fit runs.csv --target step_ms --extrinsic gpus,batch --ignore host > model.json
  perfmodel fit runs.csv --by kernel,gpu --resume -o all.jsonl)");
}

/// Where the result of a fit goes: kNowhere on a terminal without --output, where the summary is
/// enough.
std::string result_path(const FitArguments& arguments, const Console& console) {
  const bool is_only_shown =
      !arguments.output && !arguments.many.shard && !console.quiet() && output_width();
  return is_only_shown ? kNowhere : arguments.output.value_or("-");
}

PreparedFit prepared_fit(const FitArguments& arguments, const FitRequest& request,
                         const std::optional<std::size_t>& drawn, SearchProgress& progress,
                         Console& console) {
  const ReadProgress reading = progress.watch("reading " + joined(arguments.runs, ", "));
  PreparedFit prepared =
      prepare_fit(read_for_fit(arguments, request, drawn, console, reading), request);
  for (const auto& warning : prepared.warnings)
    console.warning(warning);
  if (prepared.is_drawn)
    console.notice(prepared.provenance.notices.back());
  if (request.options.as<AutomaticOptions>() != nullptr && !arguments.search.residual &&
      request.options.residual == Residual::none)
    console.notice(
        "No form with a residual correction is tried: --loss, --l1, --l2 and --signed have no "
        "place there.");
  return prepared;
}

/// The fit, which a signal ends early.
FitOutcome stoppable_fit(const PreparedFit& prepared, FitRequest& request, SearchProgress& progress,
                         const Console& console) {
  const SignalWatch signals;
  request.options.stop = signals.token();
  watch_fit(prepared, request, progress, console);
  return fit_prepared(prepared, request);
}

/// Number of combinations of the columns' values.
double combinations(const Design& design) {
  double out = 1;
  for (const auto* factors : {&design.intrinsic, &design.extrinsic})
    for (const NumericFactor& factor : *factors)
      out *= static_cast<double>(factor.values.size());
  for (const LevelFactor& factor : design.categorical)
    out *= static_cast<double>(factor.levels);
  return out;
}

/// True if a suggested command can name files of the model and its runs.
bool stands_in_files(const FitArguments& arguments) {
  return arguments.output.value_or("-") != "-" && arguments.output->ends_with(".json") &&
         arguments.runs.size() == 1 && arguments.runs.front().ends_with(".csv");
}

/// Compares the default form, Eq. (4), with a response surface. Returns nullopt if no other form
/// promises far lower errors.
std::optional<FormCheck> check_default_form(const FittedModel& model, const Design& training) {
  const std::optional<FormCheck> check = check_form(model, training);
  return check && check->points_elsewhere() ? check : std::nullopt;
}

/// Describes that comparison or, without one, that Eq. (4) fits badly, with the command to run
/// instead; nullopt if neither holds.
std::optional<std::string> other_form_note(const FitArguments& arguments, const FittedModel& model,
                                           const std::optional<FormCheck>& check) {
  const std::vector<Turn> turns = turns_against(model);
  if (!check && turns.empty() && !lacks_fit(model))
    return std::nullopt;
  const std::string why =
      !turns.empty() ? turn_in_words(model, turns.front())
      : check ? "on held-out runs, products have an error of " + percent(100 * check->of_surface) +
                    ", Eq. (4) alone of " + percent(100 * check->of_model)
              : "Eq. (4) is off by " + percent(model.known.metrics.train.mape_percent) +
                    " on its own training runs" +
                    (model.known.noise_floor
                         ? ", their noise is " + percent(model.known.noise_floor->mape_percent)
                         : "");
  return why + ": another form may fit far better:\n  " + arguments.call.line +
         " --expression auto";
}

std::optional<std::string> next_runs_note(const FitArguments& arguments, const FittedModel& model,
                                          const Design& training) {
  constexpr std::size_t runs_per_constant = 10;
  const std::size_t measured = configuration_groups(training).count;
  const auto constants = static_cast<std::size_t>(model.constants.size());
  // Where all combinations were measured, the next run is beyond them.
  const bool is_grid = static_cast<double>(measured) >= combinations(training);
  const bool knows_runs = model.belief && model.spec.derived.empty();
  if (!stands_in_files(arguments) || measured >= runs_per_constant * constants ||
      (is_grid && !knows_runs))
    return std::nullopt;
  return (measured == 2 ? std::string("any law fits two configurations")
                        : std::to_string(measured) + " configurations are few for " +
                              std::to_string(constants) + " constants") +
         "; which to measure next:\n  perfmodel suggest " + shell_word(*arguments.output) +
         (is_grid ? "" : " " + shell_word(arguments.runs.front())) + " --next 3";
}

/// Of more runs, the worst group shows in so many, chosen evenly.
constexpr std::size_t kMostJudgedRuns = 10'000;

std::optional<std::string> worst_runs_note(const FitArguments& arguments, const FittedModel& model,
                                           const Design& training) {
  if (!stands_in_files(arguments) || model.bound)
    return std::nullopt;
  const Design finished = finished_runs(training);
  const Design judged =
      take_rows(finished, evenly_chosen(finished.rows, std::min(finished.rows, kMostJudgedRuns)));
  const std::optional<WorstGroup> worst = worst_group(model.spec, judged, predict(model, judged));
  if (!worst)
    return std::nullopt;
  return "where " + worst->column + " is " + worst->values + " the model is off by " +
         percent(worst->mape) + ", elsewhere by " + percent(worst->mape_of_the_rest) +
         "; errors by level and value:\n  perfmodel report " + shell_word(*arguments.output) + " " +
         shell_word(arguments.runs.front()) + " -o report.html";
}

/// Suggestions after a fit, at most `most`, each with a command to run, in this order: measure more
/// combinations of values if there are few for the number of constants; look at the level, or the
/// end of a numeric range, whose runs are predicted clearly worse than the others.
std::vector<std::string> next_steps(const FitArguments& arguments, const FittedModel& model,
                                    const Design& training, std::size_t most) {
  std::vector<std::string> notes;
  for (const auto note_of : {next_runs_note, worst_runs_note})
    if (const auto note = note_of(arguments, model, training); note && notes.size() < most)
      notes.push_back(*note);
  return notes;
}

/// The summary of the fit, its warnings, and what to do next.
void show_fit(const FitArguments& arguments, const PreparedFit& prepared, const FitOutcome& outcome,
              double all_seconds, Console& console) {
  const FittedModel& model = outcome.model;
  const bool advises = !outcome.interrupted && !console.quiet();
  const bool judges_form = advises && chose_no_form(arguments);
  const std::optional<FormCheck> check =
      judges_form ? check_default_form(model, prepared.training) : std::nullopt;
  const auto other_form = judges_form ? other_form_note(arguments, model, check) : std::nullopt;
  if (other_form)
    console.notice(*other_form);
  FitDocument report{
      model,
      outcome.time_shares,
      prepared.training.rows,
      outcome.seconds,
      all_seconds,
      (check && check->is_far_worse()) || (judges_form && !turns_against(model).empty())};
  if (model.form->words().lists_terms)
    report.shares = shares_of(model, prepared.training, prepared.central.configuration);
  console.summary(fit_summary(report, console));
  for (const auto& warning : warning_lines(model))
    console.warning(warning);
  if (advises)
    for (const std::string& step :
         next_steps(arguments, model, prepared.training, other_form ? 1 : 2))
      console.notice(step);
  if (advises && console.width() && stands_in_files(arguments) && numeric_count(model.spec) > 0)
    console.notice("a picture of it: perfmodel show " + shell_word(*arguments.output) + " --plot");
}

/// Tells what became of the model; `kept`: the file that was not replaced, or empty.
int exit_code_of_stopped(const std::string& kept, Console& console) {
  console.warning(kept.empty() ? "interrupted: the model is the best that was found until then"
                               : "interrupted: " + kept + " was not written");
  return exit_code_of_signal(received_signal().value());
}

/// Returns the exit code: 0, or 128 plus the signal that ended the search early.
int run_fit(const FitArguments& arguments, Console& console) {
  const auto start = std::chrono::steady_clock::now();
  check_gated_parts(arguments);
  if (asks_for_many(arguments))
    return many_models().fit(arguments, result_path(arguments, console), console);
  FitRequest request = request_of(arguments);
  const std::string path = result_path(arguments, console);
  OutputFile output(path);
  std::optional<SearchProgress> progress(console);
  const std::optional<std::size_t> drawn = rows_to_draw(arguments, request);
  const PreparedFit prepared = prepared_fit(arguments, request, drawn, *progress, console);
  const FitOutcome outcome = stoppable_fit(prepared, request, *progress, console);
  progress.reset();
  const bool keeps_old_file = outcome.interrupted && output.replaces_file();
  if (!keeps_old_file)
    finish(output, to_json(outcome.model));
  show_fit(arguments, prepared, outcome,
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
           console);
  if (path == kNowhere)
    console.notice("the model is not written anywhere; save it: -o model.json");
  if (outcome.interrupted)
    return exit_code_of_stopped(keeps_old_file ? path : "", console);
  if (drawn || prepared.is_drawn)
    console.notice("another draw of " + std::to_string(prepared.training.rows) +
                   " rows would move the times by " +
                   percent(100 * sampling_error(prepared, request)) + " or so");
  check_gates(arguments.gates, figures_of_parts(outcome.model), guess_of_target(outcome.model));
  return 0;
}

}  // namespace

bool asks_for_many(const FitArguments& arguments) {
  return !arguments.many.by.empty() ||
         (arguments.roles.target && arguments.roles.target->find(',') != std::string::npos);
}

bool chose_no_form(const FitArguments& arguments) {
  const SearchArguments& search = arguments.search;
  return search.expression == Expression::eq4 &&
         search.residual.value_or(Residual::none) == Residual::none &&
         search.eq4.method == Method::scaled && !search.loss && !search.options.quantile &&
         search.options.penalty.l1 + search.options.penalty.l2 <= 0 && !arguments.prior &&
         arguments.runs.front() != "-" &&
         arguments.call.line.find(" --expression") == std::string::npos;
}

FitRequest request_of(const FitArguments& arguments) {
  FitRequest request;
  request.roles = arguments.roles;
  request.options = fit_options(arguments.search);
  request.split = arguments.split.shares;
  request.split_seed = arguments.split.seed;
  request.gated = !arguments.gates.empty();
  request.training_rows = arguments.sample_rows;
  request.repeats = arguments.repeats;
  request.held_out = arguments.held_out;
  if (arguments.bootstrap > 0) {
    request.bootstrap.emplace().samples = arguments.bootstrap;
    if (const auto& level = arguments.held_out.coverage)
      request.bootstrap->confidence = *level;
  }
  if (arguments.prior)
    request.options.form =
        AdaptedOptions{std::make_shared<const FittedModel>(read_model(*arguments.prior))};
  request.roles.totals_per_worker = request.options.as<AutomaticOptions>() != nullptr &&
                                    !arguments.keep_totals && !asks_for_many(arguments);
  if (const auto* const own = request.options.as<OwnOptions>()) {
    const std::string& target = own->formula.target;
    if (request.roles.target.value_or(target) != target)
      throw UsageError("--target '" + *request.roles.target + "': --formula is of '" + target +
                       "'; leave out --target");
    request.roles.formula = own->formula;
    request.roles.target = target;
  }
  if (arguments.test) {
    InputOptions input = arguments.input;
    if (const FittedModel* const earlier = request.options.earlier())
      input.of_fit = std::make_shared<const InputOptions>(earlier->provenance.reading.input);
    request.test_runs = [path = *arguments.test, input](const std::set<std::string>& text_columns) {
      return read_runs(path, text_columns, input).table;
    };
  }
  return request;
}

Command fit_command(const RunFit& run) {
  return make_command<FitArguments>("fit", "Fits the constants of the model to measured runs.",
                                    setup_fit, run);
}

Command fit_command() {
  return fit_command(run_fit);
}

}  // namespace perfmodel::cli
