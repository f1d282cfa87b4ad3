#include "cli/evaluate_command.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>

#include "cli/numbers.hpp"
#include "cli/predictions.hpp"
#include "cli/range_check.hpp"
#include "cli/runs_file.hpp"
#include "cli/shared_options.hpp"
#include "cli/text_table.hpp"
#include "cli/trust_section.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/base/text.hpp"
#include "perfmodel/fit/outliers.hpp"
#include "perfmodel/io/model_json.hpp"
#include "perfmodel/io/output_file.hpp"
#include "perfmodel/model/design.hpp"

namespace perfmodel::cli {
namespace {

/// Names as in model.json, and full precision, for programs.
std::string metrics_csv(const Metrics& metrics) {
  return "rows,mae,mape_percent,smape_percent,mse,rmse,r2\n" + std::to_string(metrics.rows) + "," +
         to_text(metrics.mae) + "," + to_text(metrics.mape_percent) + "," +
         to_text(metrics.smape_percent) + "," + to_text(metrics.mse) + "," + to_text(metrics.rmse) +
         "," + (std::isnan(metrics.r2) ? "" : to_text(metrics.r2)) + "\n";
}

TextTable metrics_table(const Metrics& metrics, const std::string& unit) {
  using enum Align;
  const auto with_unit = [&](const std::string& name, const std::string& power) {
    return unit.empty() ? name : name + " [" + unit + power + "]";
  };
  TextTable table({right, right, right, right, right, right, right});
  table.add({"rows", with_unit("MAE", ""), "MAPE", "SMAPE", with_unit("MSE", "^2"),
             with_unit("RMSE", ""), "R2"});
  table.add({std::to_string(metrics.rows), short_number(metrics.mae), percent(metrics.mape_percent),
             percent(metrics.smape_percent), short_number(metrics.mse), short_number(metrics.rmse),
             std::isnan(metrics.r2) ? "-" : short_number(metrics.r2)});
  return table;
}

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

TextTable outlier_table(const std::vector<OutlyingRun>& runs, const std::string& unit) {
  using enum Align;
  TextTable table({right, right, right, right, left});
  table.add({"line", with_unit("measured", unit), with_unit("predicted", unit), "z", ""});
  for (const OutlyingRun& run : runs) {
    table.add({std::to_string(run.line), short_number(run.measured), short_number(run.predicted),
               short_number(run.robust_z), std::abs(run.robust_z) >= outlier_z ? "outlier" : ""});
  }
  return table;
}

std::string formatted(const EvaluateArguments& arguments, const FittedModel& model,
                      const Metrics& metrics, const EvaluationDetails& details) {
  const TextTable table = metrics_table(metrics, model.spec.unit);
  switch (arguments.format) {
    case OutputFormat::json:
      return evaluation_to_json(model, std::filesystem::path(arguments.runs).filename().string(),
                                metrics, details);
    case OutputFormat::csv:
      return metrics_csv(metrics);
    case OutputFormat::md:
      return table.markdown() +
             (details.outliers ? "\n" + outlier_table(*details.outliers, model.spec.unit).markdown()
                               : "");
    case OutputFormat::text:
      break;
  }
  std::string text = table.text(0);
  if (details.noise_floor) {
    text += noise_floor_text(metrics.mape_percent, details.noise_floor) + "\n";
  }
  if (details.outliers) {
    text += "\n" + outlier_table(*details.outliers, model.spec.unit).text(0);
  }
  return text;
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

}  // namespace

void setup_evaluate(CLI::App& command, EvaluateArguments& arguments) {
  add_input(command, "MODEL.json", arguments.model, "a model that fit wrote")->required();
  add_input(command, "RUNS.csv", arguments.runs, "measured runs, one per line")->required();
  command
      .add_option("--target", arguments.target,
                  "the measured time, where the file has another name\nfor it than the model")
      ->type_name("COL");
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
  add_gates(command, arguments.gates,
            "end with exit code 4 if this holds: 'mape>10',\n'r2<0.9' (repeatable)");
  command.footer(
      "Examples:\n"
      "  perfmodel evaluate model.json new_runs.csv\n"
      "  perfmodel evaluate model.json new_runs.csv --residuals residuals.csv\n"
      "  perfmodel evaluate model.json new_runs.csv --format json --fail-if 'mape>15'");
}

int run_evaluate(const EvaluateArguments& arguments, Console& console) {
  if (arguments.model == "-" && arguments.runs == "-") {
    throw UsageError("the model and the runs cannot both come from standard input");
  }
  if (arguments.residuals == "-") {
    throw UsageError("the metrics go to standard output; write --residuals to a file");
  }
  if (arguments.outliers && arguments.format == OutputFormat::csv) {
    throw UsageError("--format csv is the metrics alone; list --outliers in another format");
  }
  OutputFile output("-");
  std::optional<OutputFile> residuals;
  if (arguments.residuals) {
    refuse_to_replace(arguments.model, *arguments.residuals);
    refuse_to_replace(arguments.runs, *arguments.residuals);
    residuals.emplace(*arguments.residuals);
  }
  const FittedModel model = read_model(arguments.model);
  ModelSpec spec = model.spec;
  spec.target = arguments.target.value_or(spec.target);
  const Table table = read_runs(arguments.runs, categorical_columns(spec)).table;
  const Design design = make_design(table, spec, Target::required);
  warn_out_of_range(spec, design, console);
  const Metrics metrics = measure(model, design, table.source);
  EvaluationDetails details{noise_floor(design), std::nullopt};
  if (arguments.outliers) {
    details.outliers =
        farthest_runs(table, design.time, predict(model, design), *arguments.outliers);
  }
  output.write(formatted(arguments, model, metrics, details));
  if (residuals) {
    write_residuals(table, design.time, predict(model, design), *residuals);
    residuals->commit();
  }
  output.commit();
  check_gates(arguments.gates, metrics, std::to_string(metrics.rows) + " rows");
  return 0;
}

}  // namespace perfmodel::cli
