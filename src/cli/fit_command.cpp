#include "cli/fit_command.hpp"

#include <CLI/CLI.hpp>
#include <chrono>

#include "cli/numbers.hpp"
#include "cli/predictions.hpp"
#include "cli/prepared_runs.hpp"
#include "cli/role_options.hpp"
#include "cli/runs_file.hpp"
#include "cli/search_progress.hpp"
#include "cli/shared_options.hpp"
#include "cli/signals.hpp"
#include "cli/summary.hpp"
#include "cli/test_runs.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/fit/repeat.hpp"
#include "perfmodel/fit/spread.hpp"
#include "perfmodel/io/model_json.hpp"
#include "perfmodel/io/output_file.hpp"
#include "perfmodel/model/design.hpp"
#include "perfmodel/model/spec.hpp"
#include "perfmodel/model/unmeasured.hpp"

namespace perfmodel::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// What conditions can speak of: the test part where there is one, else the training part; with a
/// prefix, any part.
const FurtherFigures& fit_figures() {
  static const FurtherFigures further = [] {
    FurtherFigures out;
    for (const char* part : {"train.", "validation.", "test.", "folds."}) {
      for (const auto& metric : gate_metrics()) {
        out.names.push_back(part + metric);
      }
    }
    out.words = "; of a part: train., validation., test. or folds. before it";
    return out;
  }();
  return further;
}

void check_gated_parts(const FitArguments& arguments) {
  const SplitShares shares = arguments.split.value_or(SplitShares{});
  for (const auto& gate : arguments.gates) {
    const auto lacks = [&](const std::string& part, bool exists, const std::string& advice) {
      if (gate.figure.starts_with(part + ".") && !exists) {
        throw UsageError("--fail-if '" + gate.text + "': " + advice);
      }
    };
    lacks("validation", shares.validation > 0,
          "there is no validation part; pass --split 60:20:20");
    lacks("test", shares.test > 0 || arguments.test.has_value(),
          "there is no test part; pass --split 80:20 or --test");
    lacks("folds", arguments.held_out.folds.has_value(), "there are no folds; pass --folds 5");
  }
}

void check_combination(const FitArguments& arguments) {
  refuse_options_of_others(arguments.search);
  if (arguments.split_seed && !arguments.split) {
    throw UsageError("--split-seed has no effect without --split");
  }
  if (arguments.test && arguments.split && arguments.split->test > 0) {
    throw UsageError(
        "both --test and --split name test rows; leave the test share out: --split 80:20:0");
  }
  if (arguments.test == arguments.runs && arguments.runs == "-") {
    throw UsageError("the runs and the test runs cannot both come from standard input");
  }
  check_bootstrap(arguments.bootstrap);
  check_gated_parts(arguments);
}

/// The fits that were asked for, in the order of their seeds.
std::vector<FittedModel> run_fits(const FitArguments& arguments, const ModelSpec& spec,
                                  const Design& training, FitOptions options, Console& console) {
  SearchProgress progress(console);
  const std::size_t repeats = arguments.repeats.value_or(1);
  if (repeats == 1) {
    if (console.shows_progress()) {
      options.observer = [&](const optimise::Progress& state) { progress.show(state); };
    }
    return {fit(spec, training, options)};
  }
  return fit_repeatedly(spec, training, options, repeats,
                        [&](std::size_t done) { progress.show("fitting", done, repeats); });
}

/// The parts of the data that the model is judged on besides its training rows.
PartMetrics judge(const FittedModel& model, const Table& table, const Split& split,
                  const std::optional<Design>& further_runs) {
  PartMetrics metrics = model.metrics;
  if (!split.validation.empty()) {
    metrics.validation =
        measure(model, make_design(table, model.spec, Target::required, split.validation),
                "the validation part");
  }
  if (!split.test.empty()) {
    metrics.test = measure(model, make_design(table, model.spec, Target::required, split.test),
                           "the test part");
  } else if (further_runs) {
    metrics.test = measure(model, *further_runs, "the test part");
  }
  return metrics;
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
  if (parts.validation) {
    add(*parts.validation, "the validation part", "validation.");
  }
  if (parts.test) {
    add(*parts.test, "the test part", "test.");
  }
  if (model.cross_validation) {
    add(mean_metrics(model.cross_validation->folds), "the mean of the folds", "folds.");
  }
  check_gates(gates, figures);
}

}  // namespace

void setup_fit(CLI::App& command, FitArguments& arguments) {
  add_input(command, "RUNS.csv", arguments.runs, "measured runs, one per line")->required();
  add_output(command, arguments.output, "MODEL.json");
  add_role_options(command, arguments.roles);
  add_search_options(command, arguments.search);
  add_count<std::size_t>(command, "--repeats", arguments.repeats,
                         "fits with the seeds N, N+1, ...; the model is the best\n"
                         "one, mean and spread over the seeds are reported\n"
                         "beside it (default: 1)",
                         1)
      ->group("Search");
  command
      .add_option_function<std::string>(
          "--split", [&](const std::string& text) { arguments.split = parse_split(text); },
          "shares of training, validation and test rows,\n"
          "60:20:20 or 80:20 (default: all rows train)")
      ->type_name("SHARES")
      ->group("Judging the model");
  add_count<std::uint64_t>(command, "--split-seed", arguments.split_seed,
                           "seed of the split (default: 1)", 0)
      ->group("Judging the model");
  command.add_option("--test", arguments.test, "further runs to judge the model on")
      ->type_name("FILE")
      ->group("Judging the model");
  add_bootstrap_options(command, arguments.bootstrap);
  add_held_out_options(command, arguments.held_out);
  add_gates(command, arguments.gates,
            "end with exit code 4 if this holds on the test part,\n"
            "or on the training part where there is none:\n"
            "'mape>10', 'r2<0.9' (repeatable), or on a part that it\n"
            "names: 'train.mape>10', 'folds.mape>12'; the model is\n"
            "written all the same",
            fit_figures());
  command.get_option("--fail-if")->group("Judging the model");
  command.footer(
      "Examples:\n"
      "  perfmodel fit runs.csv -o model.json\n"
      "  perfmodel fit runs.csv --split 60:20:20 --fail-if 'mape>20' -o model.json\n"
      "  perfmodel fit runs.csv --bootstrap 200 -o model.json\n"
      "  perfmodel fit runs.csv --repeats 10 --l2 0.001 -o model.json\n"
      "  perfmodel fit runs.csv --target step_ms --extrinsic gpus,batch --ignore host > "
      "model.json");
}

int run_fit(const FitArguments& arguments, Console& console) {
  check_combination(arguments);
  refuse_to_replace(arguments.runs, arguments.output);
  refuse_to_replace(arguments.test.value_or("-"), arguments.output);
  OutputFile output(
      arguments.output);  // a place that cannot be written is found out before the fit

  const auto [runs, roles, rows] = read_labelled_runs(arguments.runs, arguments.roles, console);
  const Split split = split_rows(rows, arguments.split.value_or(SplitShares{}),
                                 arguments.split_seed.value_or(default_split_seed));
  const ModelSpec spec = make_spec(runs.table, roles, split.train);
  const Design training = make_design(runs.table, spec, Target::required, split.train);
  const HeldOutPlan held_out = plan_held_out(arguments.held_out, runs.table, split, training,
                                             arguments.search.seed.value_or(default_seed));
  std::optional<Design> further_runs;
  if (arguments.test) {
    further_runs = read_test_runs(*arguments.test, spec, !arguments.gates.empty(), console);
  }

  const SignalWatch signals;
  FitOptions options = fit_options(arguments.search);
  options.stop = signals.token();
  const auto start = Clock::now();
  std::vector<FittedModel> fits = run_fits(arguments, spec, training, options, console);
  const std::chrono::duration<double> seconds = Clock::now() - start;
  for (auto& fitted : fits) {
    fitted.metrics = judge(fitted, runs.table, split, further_runs);
  }
  FittedModel model = fits[best_of(fits)];
  if (fits.size() > 1) {
    model.repeats = summarise(fits);
  }
  model.uncertainty = run_bootstrap(arguments.bootstrap, model, training, options, console);
  model.provenance = provenance_of(arguments.runs, runs, roles);
  model.unmeasured = find_unmeasured(spec, training);
  if (!received_signal()) {
    std::optional<Design> test = further_runs;
    if (!split.test.empty()) {
      test = make_design(runs.table, spec, Target::required, split.test);
    }
    add_held_out(arguments.held_out, held_out, runs.table, split, training, options, test, model,
                 console);
  }

  const auto signal = received_signal();
  if (signal) {
    model.search.termination = to_text(optimise::Termination::interrupted);  // whichever start won
  }
  const bool keep_old_file = signal && output.replaces_file();
  if (!keep_old_file) {
    output.write(to_json(model));
    output.commit();
  }
  console.summary(
      fit_summary({model, roles, time_shares(model, training), seconds.count()}, console));
  for (const auto& warning : model.warnings) {
    console.warning(warning.message);
  }
  if (signal) {
    console.warning(keep_old_file ? "interrupted: " + arguments.output + " was not written"
                                  : "interrupted: the model is the best that was found until then");
    return exit_code_of_signal(*signal);
  }
  check_fit_gates(arguments.gates, model);
  return 0;
}

}  // namespace perfmodel::cli
