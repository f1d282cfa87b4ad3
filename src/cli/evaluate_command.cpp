#include "cli/evaluate_command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "cli/evaluate_report.hpp"
#include "cli/held_out.hpp"
#include "cli/judged_runs.hpp"
#include "cli/numbers.hpp"
#include "cli/predictions.hpp"
#include "cli/range_check.hpp"
#include "cli/runs_file.hpp"
#include "cli/shared_options.hpp"
#include "perfmodel/analysis/drift.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/base/text.hpp"
#include "perfmodel/fit/outliers.hpp"
#include "perfmodel/io/model_json.hpp"
#include "perfmodel/io/output_file.hpp"
#include "perfmodel/model/design.hpp"

namespace perfmodel::cli {
namespace {

/// The runs that stand farthest from the model, with their lines in the file.
std::vector<OutlyingRun> farthest_runs(const Table& table, const Eigen::VectorXd& measured,
                                       const Eigen::VectorXd& predicted, std::size_t count) {
  std::vector<OutlyingRun> out;
  for (const Outlier& outlier : ranked_outliers(measured, predicted)) {
    if (out.size() == count) {
      break;
    }
    const auto row = static_cast<Eigen::Index>(outlier.row);
    out.push_back({table.lines[outlier.row], measured[row], predicted[row], outlier.robust_z});
  }
  return out;
}

/// One line per run: where it stands in the file, and how far the model is from it. A positive
/// error is a prediction that is too long.
void write_residuals(const Table& table, const Eigen::VectorXd& measured,
                     const Eigen::VectorXd& predicted, OutputFile& output) {
  output.write("line,measured,predicted,error,error_percent\n");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto index = static_cast<Eigen::Index>(row);
    const double error = predicted[index] - measured[index];
    output.write(std::to_string(table.lines[row]) + "," + to_text(measured[index]) + "," +
                 to_text(predicted[index]) + "," + to_text(error) + "," +
                 to_text(100 * error / measured[index]) + "\n");
  }
}

const FurtherFigures& evaluate_figures() {
  static const FurtherFigures further = [] {
    FurtherFigures out{drift_names(), ""};
    out.names.insert(out.names.end(), {"coverage", "mean_width"});
    out.words =
        "; coverage or mean_width of intervals; with --baseline " + joined(drift_names(), ", ");
    return out;
  }();
  return further;
}

bool is_drift(const Gate& gate) {
  const auto names = drift_names();
  return std::find(names.begin(), names.end(), gate.figure) != names.end();
}

void check_combination(const EvaluateArguments& arguments) {
  if (arguments.model == "-" && arguments.runs == "-") {
    throw UsageError("the model and the runs cannot both come from standard input");
  }
  if (arguments.baseline == "-") {
    throw UsageError("--baseline cannot come from standard input; write it to a file");
  }
  if (arguments.residuals == "-") {
    throw UsageError("the metrics go to standard output; write --residuals to a file");
  }
  if (arguments.outliers && arguments.format == OutputFormat::csv) {
    throw UsageError("--format csv is the metrics alone; list --outliers in another format");
  }
  for (const Gate& gate : arguments.gates) {
    if (is_drift(gate) && !arguments.baseline) {
      throw UsageError("--fail-if '" + gate.text +
                       "': there is nothing to drift from; pass --baseline OLD.json");
    }
  }
}

/// The model's intervals where it has some, held against the measured times.
std::optional<IntervalReport> report_intervals(const EvaluateArguments& arguments,
                                               const FittedModel& model, const Design& design,
                                               const Eigen::VectorXd& predicted) {
  const auto factors = interval_of(model, arguments.coverage, arguments.model);
  if (!factors) {
    return std::nullopt;
  }
  return IntervalReport{arguments.coverage.value_or(model.intervals->level),
                        covered_share(*factors, design.time, predicted),
                        predicted.mean() * (factors->upper - factors->lower)};
}

/// The baseline on the same rows; it may know other columns.
BaselineReport report_baseline(const EvaluateArguments& arguments, const FittedModel& model,
                               const Table& table, const Metrics& now,
                               const Eigen::VectorXd& predicted_now) {
  const FittedModel old = read_model(*arguments.baseline);
  ModelSpec spec = old.spec;
  spec.target = arguments.target.value_or(spec.target);
  const auto texts = categorical_columns(spec);
  const bool same_texts = texts == categorical_columns(model.spec);
  if (!same_texts && arguments.runs == "-") {
    throw UsageError("the models read other columns as texts; pass RUNS.csv as a file");
  }
  const Design design = make_design(same_texts ? table : read_runs(arguments.runs, texts).table,
                                    spec, Target::required);
  BaselineReport out;
  out.file = std::filesystem::path(*arguments.baseline).filename().string();
  out.metrics = measure(old, design, table.source);
  out.drift = drift(now, out.metrics, predicted_now, predict(old, design));
  return out;
}

std::vector<Figure> evaluated_figures(const EvaluationReport& report) {
  const std::string part = std::to_string(report.metrics.rows) + " rows";
  std::vector<Figure> figures = figures_of(report.metrics, part);
  if (report.intervals) {
    figures.push_back({"coverage", report.intervals->coverage, part});
    figures.push_back({"mean_width", report.intervals->mean_width, part});
  }
  if (report.baseline) {
    for (const auto& [name, value] : report.baseline->drift) {
      figures.push_back({name, value, part});
    }
  }
  return figures;
}

}  // namespace

void setup_evaluate(CLI::App& command, EvaluateArguments& arguments) {
  add_judged_runs(command, arguments.model, arguments.runs, arguments.target);
  add_format(command, arguments.format, "of the metrics");
  command
      .add_option("--residuals", arguments.residuals,
                  "also write one line per run: its line in RUNS.csv,\n"
                  "measured, predicted, error (predicted - measured)\n"
                  "and error in percent of the measured time")
      ->type_name("FILE.csv");
  add_count<std::size_t>(command, "--outliers", arguments.outliers,
                         "also list the N runs that stand farthest from the\n"
                         "model, by a robust z of ln(measured / predicted)",
                         1);
  add_coverage(command, arguments.coverage,
               "share of the times that the model's intervals shall\n"
               "cover (default: as in its fit); the share that they do\n"
               "cover and their mean width are printed");
  command
      .add_option("--baseline", arguments.baseline,
                  "an older model, judged on the same runs; what has\n"
                  "changed can be gated: 'mape_drift>2'")
      ->type_name("OLD.json");
  add_strict_range(command, arguments.strict_range);
  add_gates(command, arguments.gates,
            "end with exit code 4 if this holds: 'mape>10',\n"
            "'r2<0.9', 'coverage<0.85', 'mape_drift>2' (repeatable)",
            evaluate_figures());
  command.footer(
      "With --baseline, mape_drift and smape_drift are in points of percent, r2_drift is the "
      "difference,\n"
      "mae_drift, mse_drift and rmse_drift are in percent of the older model's, and "
      "prediction_drift is\n"
      "the mean distance of the two predictions in percent of the older one. Positive: larger "
      "now.\n"
      "\n"
      "Examples:\n"
      "  perfmodel evaluate model.json new_runs.csv\n"
      "  perfmodel evaluate model.json new_runs.csv --residuals residuals.csv\n"
      "  perfmodel evaluate model.json new_runs.csv --format json --fail-if 'mape>15'\n"
      "  perfmodel evaluate new.json nightly.csv --baseline released.json --fail-if "
      "'mape_drift>2'");
}

int run_evaluate(const EvaluateArguments& arguments, Console& console) {
  check_combination(arguments);
  OutputFile output("-");
  std::optional<OutputFile> residuals;
  if (arguments.residuals) {
    refuse_to_replace(arguments.model, *arguments.residuals);
    refuse_to_replace(arguments.runs, *arguments.residuals);
    refuse_to_replace(arguments.baseline.value_or("-"), *arguments.residuals);
    residuals.emplace(*arguments.residuals);
  }
  const FittedModel model = read_model(arguments.model);
  const JudgedRuns runs =
      judge_runs(model, arguments.runs, arguments.target, arguments.strict_range, console);
  const Table& table = runs.file.table;
  const Design& design = runs.design;
  const Eigen::VectorXd& predicted = runs.predicted;
  EvaluationReport report;
  report.runs_file = std::filesystem::path(arguments.runs).filename().string();
  report.metrics = runs.metrics;
  report.intervals = report_intervals(arguments, model, design, predicted);
  report.noise_floor = noise_floor(design);
  if (arguments.outliers) {
    report.outliers = farthest_runs(table, design.time, predicted, *arguments.outliers);
  }
  if (arguments.baseline) {
    report.baseline = report_baseline(arguments, model, table, report.metrics, predicted);
  }
  output.write(formatted(report, model, std::filesystem::path(arguments.model).filename().string(),
                         arguments.format));
  if (residuals) {
    write_residuals(table, design.time, predicted, *residuals);
    residuals->commit();
  }
  output.commit();
  check_gates(arguments.gates, evaluated_figures(report));
  return 0;
}

}  // namespace perfmodel::cli
