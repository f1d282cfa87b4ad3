#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/options.hpp"
#include "cli/runs.hpp"
#include "cli/texts.hpp"
#include "jobs/group_fits.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"
#include "trust/resampling.hpp"

namespace perfmodel::cli {

/// What conditions can speak of: the test part where there is one, else the training part; with a
/// prefix, any part.
const FurtherFigures& fit_figures();

/// Throws UsageError for a condition on a part that there will not be.
void check_gated_parts(const FitArguments& arguments);

/// Throws GateError where a condition holds.
void check_fit_gates(const std::vector<Gate>& gates, const FittedModel& model);

/// The runs of a fit of one model: row by row, merged or drawn.
LabelledRuns read_for_fit(const FitArguments& arguments, const FitRequest& request,
                          Console& console, const ReadProgress& progress);

namespace {

constexpr std::size_t kFewestSamples = 20;

}  // namespace

void add_bootstrap_options(OptionSet& app, BootstrapArguments& arguments) {
  add_count<std::size_t>(app, "--bootstrap", arguments.samples,
                         "intervals of the constants from that many resampled\n"
                         "sets of the training rows, 200 say (default: none)",
                         kFewestSamples)
      .group("Judging the model");
  add_number(app, "--confidence", arguments.confidence, "of these intervals (default: 0.95)",
             {0, 0.9999, false, "a number above 0 and up to 0.9999"})
      .group("Judging the model");
}

void check_bootstrap(const BootstrapArguments& arguments) {
  if (arguments.confidence && !arguments.samples)
    throw UsageError("--confidence has no effect without --bootstrap");
}

std::optional<BootstrapRequest> bootstrap_request(const BootstrapArguments& arguments) {
  if (!arguments.samples)
    return std::nullopt;
  BootstrapRequest request;
  request.samples = *arguments.samples;
  request.confidence = arguments.confidence.value_or(request.confidence);
  return request;
}

const FurtherFigures& fit_figures() {
  static const FurtherFigures further = [] {
    FurtherFigures out;
    for (const char* part : {"train.", "validation.", "test.", "folds."})
      for (const auto& metric : gate_metrics())
        out.names.push_back(part + metric);
    out.words = std::string("; of a part: train., validation., test. or folds. before it") +
                kSetFigureWords;
    out.accepts = is_set_figure;
    return out;
  }();
  return further;
}

void check_gated_parts(const FitArguments& arguments) {
  const SplitShares shares = arguments.split.value_or(SplitShares{});
  const bool many = asks_for_many(arguments);
  for (const auto& gate : arguments.gates) {
    if (is_set_figure(gate.figure) != many) {
      throw UsageError("--fail-if '" + gate.text + "': " +
                       (many ? "of many models say of which: 'any." + gate.text + "'"
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

void check_fit_gates(const std::vector<Gate>& gates, const FittedModel& model) {
  const PartMetrics& parts = model.metrics;
  std::vector<Figure> figures = parts.test ? figures_of(*parts.test, "the test part")
                                           : figures_of(parts.train, "the training part");
  const auto add = [&](const Metrics& metrics, const std::string& part, const std::string& prefix) {
    const auto more = figures_of(metrics, part, prefix);
    figures.insert(figures.end(), more.begin(), more.end());
  };
  add(parts.train, "the training part", "train.");
  if (parts.validation)
    add(*parts.validation, "the validation part", "validation.");
  if (parts.test)
    add(*parts.test, "the test part", "test.");
  if (model.cross_validation)
    add(mean_metrics(model.cross_validation->folds), "the mean of the folds", "folds.");
  check_gates(gates, figures);
}

LabelledRuns read_for_fit(const FitArguments& arguments, const FitRequest& request,
                          Console& console, const ReadProgress& progress) {
  const auto large = large_runs_request(arguments.large, arguments.runs, request);
  if (!large) {
    RoleRequest roles = request.roles;
    roles.single_rows = roles.weight && !(needs_rows_of_file(request).empty() &&
                                          needs_single_rows(request).empty());
    return read_labelled_runs(arguments.runs, roles, arguments.separator, console, progress);
  }
  const LargeRuns runs(arguments.runs.front(), request.roles, arguments.separator, *large,
                       request.options);
  return told(runs.read(progress), console);
}

namespace {

/// Of a single model: what calls can share are its many fits.
void check_shared_fit(const FitArguments& arguments) {
  const bool repeats = arguments.repeats.value_or(1) > 1;
  const bool samples = arguments.bootstrap.samples.has_value();
  if (repeats && samples) {
    throw UsageError(
        "--shard with --bootstrap needs one seed: find the best with --repeats first, and pass it "
        "as --seed");
  }
  if (!repeats && !samples && !arguments.held_out.folds && !arguments.held_out.coverage) {
    throw UsageError(
        "--shard shares many fits: --by, several targets, --repeats, --bootstrap or --folds");
  }
}

void check_combination(const FitArguments& arguments) {
  refuse_options_of_others(arguments.search);
  if (arguments.split_seed && !arguments.split)
    throw UsageError("--split-seed has no effect without --split");
  if (arguments.test && arguments.split && arguments.split->test > 0) {
    throw UsageError(
        "both --test and --split name test rows; leave the test share out: --split 80:20:0");
  }
  if (arguments.test == "-" &&
      std::find(arguments.runs.begin(), arguments.runs.end(), "-") != arguments.runs.end())
    throw UsageError("the runs and the test runs cannot both come from standard input");
  if (arguments.repeats.value_or(1) > 1 && arguments.search.options.residual == Residual::process) {
    throw UsageError(
        "--repeats does not go with --residual process: its search does not depend on luck");
  }
  if (arguments.repeats.value_or(1) > 1 && may_have_process(arguments.search)) {
    throw UsageError(
        "--repeats does not go with --expression auto, which may choose a residual process: add "
        "--residual none");
  }
  if (arguments.keep_totals &&
      (arguments.search.options.expression != Expression::automatic || asks_for_many(arguments)))
    throw UsageError("--keep-totals has no effect without --expression auto of one model");
  const bool is_large = arguments.large.merge || arguments.large.sample_rows;
  if (arguments.roles.weight && is_large)
    throw UsageError("--weight does not go with --merge-rows and --sample-rows");
  if (asks_for_many(arguments)) {
    if (is_large || arguments.roles.weight)
      throw UsageError("--merge-rows, --sample-rows and --weight are of fits of one model");
  } else {
    if (arguments.total || !arguments.ranked_at.empty())
      throw UsageError("--total and --set go with many models: --by, or several targets");
    if (arguments.sharing.shard)
      check_shared_fit(arguments);
  }
  check_bootstrap(arguments.bootstrap);
  check_gated_parts(arguments);
}

/// All but how it is searched and who watches.
FitRequest request_of(const FitArguments& arguments) {
  FitRequest request;
  request.roles = arguments.roles;
  request.options.seed = arguments.search.seed.value_or(kDefaultSeed);
  request.split = arguments.split.value_or(SplitShares{});
  request.split_seed = arguments.split_seed.value_or(kDefaultSplitSeed);
  if (arguments.test) {
    request.test_runs = [path = *arguments.test, separator = arguments.separator](
                            const std::set<std::string>& text_columns) {
      return read_csv(path, text_columns, separator);
    };
  }
  request.gated = !arguments.gates.empty();
  request.repeats = arguments.repeats.value_or(1);
  request.bootstrap = bootstrap_request(arguments.bootstrap);
  request.held_out = arguments.held_out;
  return request;
}

std::string name_of(FitStage stage) {
  switch (stage) {
    case FitStage::sums:
      return "choosing among sums of terms";
    case FitStage::processes:
      return "choosing the form";
    case FitStage::bootstrap:
      return "bootstrap";
    case FitStage::folds:
      return "folds";
    case FitStage::fits:
      break;
  }
  return "fitting";
}

std::function<void(FitStage, std::size_t, std::size_t)> shown_on(SearchProgress& progress) {
  return [&progress](FitStage stage, std::size_t done, std::size_t all) {
    progress.show(name_of(stage), done, all, stage != FitStage::sums);
  };
}

void fit_shard_watched(const PreparedFit& prepared, FitRequest request, SearchProgress& progress) {
  progress.begin(name_of(FitStage::fits));
  request.progress = shown_on(progress);
  fit_shared_tasks(prepared, request);
}

/// Fits while a line shows how far it is.
FitOutcome fit_watched(const PreparedFit& prepared, FitRequest request, SearchProgress& progress,
                       Console& console) {
  progress.begin(request.options.expression == Expression::automatic ? "choosing the form"
                                                                     : name_of(FitStage::fits));
  request.progress = shown_on(progress);
  if (console.shows_progress())
    request.options.observer = [&](const optimise::Progress& state) { progress.show(state); };
  return fit_prepared(prepared, request);
}

}  // namespace

void setup_fit(OptionSet& command, FitArguments& arguments) {
  command
      .add_option("RUNS.csv", arguments.runs,
                  "measured runs, one per line; several files with the\n"
                  "same columns are one table; \"-\" is stdin")
      .option_text(" ")
      .required();
  command
      .add_option("-o,--output", arguments.output,
                  "where to write the model, \"-\" is standard output\n"
                  "(default, but not to a terminal); an old file stays\n"
                  "as it is until the result is complete")
      .type_name("MODEL.json");
  add_role_options(command, arguments.roles, arguments.separator);
  command
      .add_flag("--keep-totals", arguments.keep_totals,
                "with --expression auto: a total that was set per\n"
                "worker (global_batch) stays the input that it is")
      .group("Columns");
  add_large_options(command, arguments.large, arguments.roles.weight);
  add_search_options(command, arguments.search);
  add_count<std::size_t>(command, "--repeats", arguments.repeats,
                         "fits with the seeds N, N+1, ...; the model is the best\n"
                         "one, mean and spread over the seeds are reported\n"
                         "beside it (default: 1)",
                         1)
      .group("Search");
  command
      .add_option_function(
          "--split", [&](const std::string& text) { arguments.split = parse_split(text); },
          "shares of training, validation and test rows,\n"
          "60:20:20 or 80:20 (default: all rows train)")
      .type_name("SHARES")
      .group("Judging the model");
  add_count<std::uint64_t>(command, "--split-seed", arguments.split_seed,
                           "seed of the split (default: 1)", 0)
      .group("Judging the model");
  command.add_option("--test", arguments.test, "further runs to judge the model on")
      .type_name("FILE")
      .group("Judging the model");
  add_many_options(command, arguments);
  add_resume(command, arguments.sharing.resume);
  add_shard(command, arguments.sharing.shard, "models, seeds, samples, folds");
  add_bootstrap_options(command, arguments.bootstrap);
  add_held_out_options(command, arguments.held_out);
  add_gates(command, arguments.gates,
            "end with exit code 4 if this holds on the test part,\n"
            "or on the training part where there is none:\n"
            "'mape>10', 'r2<0.9' (repeatable), or on a part that it\n"
            "names: 'train.mape>10', 'folds.mape>12'; the model is\n"
            "written all the same",
            fit_figures());
  command.get_option("--fail-if").group("Judging the model");
  command.footer(
      "Examples:\n"
      "  perfmodel fit runs.csv -o model.json\n"
      "  perfmodel fit runs.csv --split 60:20:20 --fail-if 'mape>20' -o model.json\n"
      "  perfmodel fit runs.csv --bootstrap 200 -o model.json\n"
      "  perfmodel fit runs.csv --repeats 10 --l2 0.001 -o model.json\n"
      "  perfmodel fit runs.csv --by kernel,gpu --resume -o all.jsonl\n"
      "  perfmodel fit runs.csv --by kernel --expression auto -o all.jsonl\n"
      "  perfmodel fit runs.csv --target step_ms --extrinsic gpus,batch --ignore host > "
      "model.json");
}

int run_fit(const FitArguments& arguments, Console& console) {
  const auto start = std::chrono::steady_clock::now();
  check_combination(arguments);
  FitRequest request = request_of(arguments);
  request.options = fit_options(arguments.search);
  request.roles.needs_scale = request.options.expression == Expression::generic;
  if (asks_for_many(arguments))
    return run_fit_many(arguments, std::move(request), console);
  request.roles.totals_per_worker =
      request.options.expression == Expression::automatic && !arguments.keep_totals;
  const std::string path = arguments.output.value_or("-");
  for (const auto& runs : arguments.runs)
    refuse_to_replace(runs, path);
  refuse_to_replace(arguments.test.value_or("-"), path);
  std::vector<std::string> inputs = arguments.runs;
  if (arguments.test)
    inputs.push_back(*arguments.test);
  TaskRun tasks(arguments.sharing, path, inputs, !arguments.gates.empty());
  std::optional<OutputFile> output;  // a place that cannot be written is found out before the fit
  if (!tasks.is_shard())
    output.emplace(path);

  std::optional<SearchProgress> progress(console);
  const ReadProgress reading = progress->watch("reading " + joined(arguments.runs, ", "));
  const PreparedFit prepared =
      prepare_fit(read_for_fit(arguments, request, console, reading), request);
  for (const auto& warning : prepared.warnings)
    console.warning(warning);

  if (leaves_process_out(arguments.search)) {
    console.notice(
        "No form with a residual process is tried: --loss, --l1, --l2 and --signed have no place "
        "there.");
  }

  const SignalWatch signals;
  request.options.stop = signals.token();
  request.share = tasks.begin(shared_task_count(prepared, request));
  if (tasks.is_shard()) {
    fit_shard_watched(prepared, std::move(request), *progress);
    tasks.commit();
    return 0;
  }
  FitOutcome outcome = fit_watched(prepared, std::move(request), *progress, console);
  progress.reset();
  FittedModel& model = outcome.model;
  name_flags(model);

  // Who looks at a terminal has the table.
  const bool is_only_shown = !arguments.output && !console.quiet() && is_terminal_output();
  const bool keep_old_file = outcome.interrupted && output->replaces_file();
  if (!keep_old_file && !is_only_shown) {
    output->write(to_json(model));
    output->commit();
  }
  const double all_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const bool advises = !outcome.interrupted && !console.quiet();
  const std::optional<FormCheck> check =
      advises ? check_default_form(arguments, model, prepared.training) : std::nullopt;
  if (check)
    console.notice(other_form_note(arguments, *check));
  console.summary(
      fit_summary({model, outcome.roles, outcome.time_shares, prepared.training.total_runs(),
                   outcome.seconds, all_seconds, check && check->is_far_worse()},
                  console));
  for (const auto& warning : warning_lines(model))
    console.warning(warning);
  if (advises)
    for (const std::string& step : next_steps(arguments, model, prepared.training, check ? 1 : 2))
      console.notice(step);
  if (is_only_shown)
    console.notice("the model is not written anywhere; save it: -o model.json");
  if (outcome.interrupted) {
    console.warning(keep_old_file ? "interrupted: " + path + " was not written"
                                  : "interrupted: the model is the best that was found until then");
    return exit_code_of_signal(received_signal().value());
  }
  check_fit_gates(arguments.gates, model);
  return 0;
}

}  // namespace perfmodel::cli
