#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/model_words.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "cli/certainty.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "cli/gates.hpp"
#include "cli/judged_runs.hpp"
#include "columns/replicates.hpp"
#include "forms/form.hpp"
#include "report/documents.hpp"
#include "table/table.hpp"
#include "trust/cross_validation.hpp"
#include "trust/resampling.hpp"

namespace perfmodel::cli {

/// The output of `evaluate`.
std::string formatted(const EvaluationDocument& report, OutputFormat format);
namespace {

struct EvaluateArguments : JudgedRunsArguments {
  OutputFormat format = OutputFormat::text;
  std::optional<std::string> residuals;  ///< output path for one line per run
  std::optional<std::size_t> outliers;   ///< number of runs to list
  std::optional<double> coverage;        ///< of the intervals; nullopt: the model's
  std::optional<std::string> baseline;   ///< an older model
  bool strict_range = false;
  std::vector<Gate> gates;
};

/// A condition on the bias of all runs and of those levels that differ from the others.
constexpr const char* kAnyBias = "any.bias";

/// Writes a line per judged run: its line in the file, and the error of its prediction, which is
/// positive if it is too long.
void write_residuals(const JudgedRuns& runs, const std::optional<GpReach>& reach,
                     OutputFile& output) {
  output.write("line,measured,predicted,error,error_percent" +
               std::string(reach ? ",support\n" : "\n"));
  for (std::size_t row = 0; row < runs.lines.size(); ++row) {
    const double measured = runs.design.time[index(row)];
    const double predicted = runs.predicted[index(row)];
    const double error = predicted - measured;
    output.write(std::to_string(runs.lines[row]) + "," + to_text(measured) + "," +
                 to_text(predicted) + "," + to_text(error) + "," + to_text(100 * error / measured) +
                 (reach ? "," + std::string(support_text(reach->near[row])) : "") + "\n");
  }
}

void check_set_request(const EvaluateArguments& arguments) {
  if (arguments.residuals || arguments.outliers || arguments.coverage || arguments.baseline ||
      arguments.target || arguments.strict_range) {
    throw UsageError(
        "--residuals, --outliers, --coverage, --baseline, --target and --strict-range go with one "
        "model; choose it: --pick");
  }
  if (arguments.format == OutputFormat::junit || arguments.format == OutputFormat::github)
    throw UsageError("--format junit and github go with one model");
  require_set_figures(arguments.gates);
}

doc::Table errors_table(const std::vector<std::string>& by,
                        const std::vector<ModelSetLine>& judged) {
  doc::Table table;
  for (const std::string& column : by)
    table.columns.push_back(doc::words(column, column));
  table.columns.push_back(doc::words("target", "target"));
  constexpr std::array<std::string_view, 4> shown = {"rows", "mae", "mape_percent", "rmse"};
  for (const std::string_view name : shown)
    table.columns.push_back(doc::numbers(std::string(name), std::string(name)));
  for (const ModelSetLine& line : judged) {
    std::vector<doc::Cell> cells(line.key.begin(), line.key.end());
    cells.emplace_back(line.target);
    doc::add_metrics(cells, shown, line.model->known.metrics.train);
    table.add(std::move(cells));
  }
  return table;
}

/// The bias of all runs, and those of texts that differ from the others.
std::vector<Figure> bias_figures(const Biases& biases, const std::string& part) {
  std::vector<Figure> out = {{"bias", biases.all.value, part, biases.all.interval}};
  for (const LevelBias& level : biases.levels)
    out.push_back({"bias", level.bias.value, "the rows of " + level.column + " = " + level.level,
                   level.bias.interval, level.column + " = " + level.level});
  return out;
}

/// A model of a set, judged on its rows.
struct JudgedLine {
  ModelSetLine line;
  std::vector<Figure> further;  ///< besides its metrics
};

/// Judges on the rows that the model was not fitted to, if there are any.
JudgedLine judged_line(const ModelRows& rows, const ModelSetHeader& header, page::UsedRows& used) {
  const std::string part = words_of(rows.line, header);
  const FittedModel& model = rows.model;
  Design design = make_design(rows.table, model.spec, Target::required);
  const std::vector<std::size_t> own =
      rows_with_marks(model.provenance.row_marks, model.spec, design);
  used.used += own.size();
  used.rows += design.rows;
  if (own.size() < design.rows)
    design = take_rows(design, other_rows(design.rows, own));
  const Eigen::VectorXd predicted = predict(model, design);
  JudgedLine out{rows.line, bias_figures(biases_of(model.spec, design, predicted), part)};
  out.line.model->known.metrics = {measure(design, predicted, part), {}, {}};
  if (const Certainty certainty = certainty_of(model, {}, "", design); certainty.intervals)
    out.further.push_back(
        {"coverage", covered_share(*certainty.intervals, design.time, predicted), part, {}});
  return out;
}

/// Reports the errors of every model of a set on its own rows, largest first.
int evaluate_set(const EvaluateArguments& arguments, const ModelSet& set, Console& console) {
  check_set_request(arguments);
  OutputFile output("-");
  const RunsFile file =
      read_further_runs(arguments.runs, text_columns_of(set), arguments.reading, reading_of(set));
  std::vector<JudgedLine> lines;
  page::UsedRows used;
  for_each_with_counted_rows(set, file, console, [&](const ModelRows& rows) {
    lines.push_back(judged_line(rows, set.header(), used));
  });
  if (lines.empty())
    throw InputError(file.table.source + ": no row is of a group that has a model");
  std::ranges::stable_sort(lines, std::greater<>(), [](const JudgedLine& judged) {
    return judged.line.model->known.metrics.train.mape_percent;
  });
  const std::vector<ModelSetLine> judged = mapped(lines, &JudgedLine::line);
  const std::vector<JudgedGate> gates = judged_set_gates(
      arguments.gates, ModelSet(judged, set.header()), mapped(lines, &JudgedLine::further));
  const auto json = [&] {
    return to_json(EvaluationsDocument{base_name(arguments.model),
                                       base_name(file.path),
                                       sha256(file.bytes),
                                       set.header(),
                                       judged,
                                       {gates.begin(), gates.end()}});
  };
  const doc::Document tables{.blocks = {errors_table(set.header().by, judged)}, .json = json};
  finish(output, tables.in(arguments.format));
  console.notice(std::to_string(judged.size()) + " of " + std::to_string(set.size()) +
                 " models are judged");
  if (used.used > 0)
    console.notice(used.text());
  check_gates(gates);
  return 0;
}

/// The runs with the largest errors, with their lines in the file.
std::vector<OutlyingRun> farthest_runs(const JudgedRuns& runs, std::size_t count) {
  std::vector<OutlyingRun> out;
  for (const Outlier& outlier : ranked_outliers(runs.design.time, runs.predicted)) {
    if (out.size() == count)
      break;
    const Eigen::Index row = index(outlier.row);
    out.push_back(
        {runs.lines[outlier.row], runs.design.time[row], runs.predicted[row], outlier.robust_z});
  }
  return out;
}

/// Whether most of few runs are off by far more than their noise. The model may have been bent by
/// an outlier, which it then meets, and misses the runs beside it.
bool may_be_bent(const FittedModel& model, const JudgedRuns& runs,
                 const std::optional<NoiseFloor>& noise) {
  constexpr std::size_t runs_per_constant = 10;
  constexpr double large_without_noise = 10;  // percent
  if (configuration_groups(runs.design).count >=
      runs_per_constant * to_size(model.constants.size()))
    return false;
  const Eigen::VectorXd residuals = runs.design.time.array().log() - runs.predicted.array().log();
  const double usual =
      100 * std::expm1(median((residuals.array() - median(residuals)).abs().matrix()));
  return usual > large_without_noise && (!noise || usual > 2 * noise->mape_percent);
}

const FurtherFigures& evaluate_figures() {
  static const FurtherFigures further = [] {
    FurtherFigures out{drift_names(), ""};
    out.names.insert(out.names.end(),
                     {"bias", kAnyBias, "rows", "failed", "coverage", "mean_width"});
    out.words =
        "; bias (how much longer runs take than predicted, in percent), any.bias (also of a level "
        "that differs from all others), rows, failed; coverage of intervals or of a bound, "
        "mean_width of intervals; with --baseline " +
        joined(drift_names(), ", ") + kSetFigureWords;
    out.accepts = is_set_figure;
    return out;
  }();
  return further;
}

void check_combination(const EvaluateArguments& arguments) {
  if (arguments.baseline == "-")
    throw UsageError("--baseline cannot come from standard input; write it to a file");
  if (arguments.residuals == "-")
    throw UsageError("the metrics go to standard output; write --residuals to a file");
  for (const Gate& gate : arguments.gates) {
    if (contains(drift_names(), gate.figure) && !arguments.baseline) {
      throw UsageError("--fail-if '" + gate.text +
                       "': there is nothing to drift from; pass --baseline OLD.json");
    }
  }
}

/// Coverage of the rows at which the residual process is informative (`near`), or of the others.
SupportedIntervals intervals_where(const GpReach& reach, bool near,
                                   const Eigen::Array<bool, Eigen::Dynamic, 1>& inside,
                                   const Eigen::ArrayXd& widths) {
  SupportedIntervals out;
  for (std::size_t row = 0; row < reach.near.size(); ++row) {
    if (reach.near[row] != near)
      continue;
    ++out.rows;
    out.coverage += inside[index(row)] ? 1 : 0;
    out.mean_width += widths[index(row)];
  }
  const auto rows = static_cast<double>(std::max<std::size_t>(out.rows, 1));
  out.coverage /= rows;
  out.mean_width /= rows;
  return out;
}

/// Compares the model's intervals, if it has any, with the measured times.
std::optional<IntervalDocument> report_intervals(const EvaluateArguments& arguments,
                                                 const FittedModel& model, const JudgedRuns& runs,
                                                 const Certainty& certainty) {
  if (!certainty.intervals)
    return std::nullopt;
  const RowIntervals& intervals = *certainty.intervals;
  const Eigen::ArrayXd widths = runs.predicted.array() * (intervals.upper - intervals.lower);
  IntervalDocument out{arguments.coverage.value_or(model.known.intervals->level),
                       covered_share(intervals, runs.design.time, runs.predicted), widths.mean()};
  if (const auto usual = usual_factors(model); usual && out.level == model.known.intervals->level)
    out.usual = {usual->lower, usual->upper};
  if (certainty.reach) {
    const auto inside = covered(intervals, runs.design.time, runs.predicted);
    out.near = intervals_where(*certainty.reach, true, inside, widths);
    out.far = intervals_where(*certainty.reach, false, inside, widths);
  }
  return out;
}

std::optional<SupportCounts> count_support(const std::optional<GpReach>& reach) {
  if (!reach)
    return std::nullopt;
  const auto near = to_size(std::ranges::count(reach->near, true));
  return SupportCounts{.gp = near, .trend = reach->near.size() - near};
}

/// The bias, with intervals unless bounds are judged, from which runs differ by intention.
Biases judged_bias(const EvaluateArguments& arguments, const FittedModel& model,
                   const JudgedRuns& runs) {
  const bool is_asked = std::ranges::any_of(arguments.gates, [](const Gate& gate) {
    return gate.figure == "bias" || gate.figure == kAnyBias;
  });
  return is_asked || !model.bound
             ? judged_biases(model, runs.design, runs.predicted)
             : Biases{{"bias", bias_percent(runs.design.time, runs.predicted), {}}};
}

/// Throws UsageError for a condition on intervals that the model does not have.
void require_intervals(const EvaluateArguments& arguments, const EvaluationDocument& report) {
  for (const Gate& gate : arguments.gates)
    if (!report.intervals && (gate.figure == "coverage" || gate.figure == "mean_width"))
      throw UsageError("--fail-if '" + gate.text + "': " + report.model_file +
                       " has no intervals; fit it with --coverage 0.9");
}

/// Throws InputError if rows were left out, since a gate must not pass without the rows it judges.
void require_all_rows(const EvaluateArguments& arguments, const JudgedRuns& runs) {
  if (!arguments.gates.empty() && runs.without_time > 0) {
    throw InputError(runs.file.table.source + ": " + std::to_string(runs.without_time) + " of " +
                     std::to_string(runs.file.table.rows()) +
                     " rows cannot be judged; --fail-if needs predictions for all: remove these "
                     "rows, or fit such "
                     "runs too");
  }
}

std::vector<Figure> evaluated_figures(const EvaluationDocument& report) {
  const std::string part = std::to_string(report.metrics.rows) + " rows";
  std::vector<Figure> figures = figures_of(report.metrics, part);
  if (report.intervals) {
    figures.push_back(
        {"coverage", report.bound ? report.bound->coverage : report.intervals->coverage, part, {}});
    figures.push_back({"mean_width", report.intervals->mean_width, part, {}});
  }
  std::size_t failed = 0;
  for (const FailedRuns& runs : report.left_out.failed)
    failed += runs.rows;
  const std::vector<Figure> biases = bias_figures(report.bias, part);
  figures.push_back(biases.front());
  for (const Figure& bias : biases)
    figures.push_back({kAnyBias, bias.value, bias.part, bias.interval, bias.of});
  figures.push_back({"rows", static_cast<double>(report.metrics.rows), part, {}});
  figures.push_back({"failed", static_cast<double>(failed), part, {}});
  if (report.baseline)
    for (const DriftFigure& figure : report.baseline->drift)
      figures.push_back({figure.name, figure.value, part, figure.interval});
  return figures;
}

void setup_evaluate(OptionSet& command, EvaluateArguments& arguments) {
  add_judged_runs(command, arguments);
  command.group("Options");
  add_format(command, arguments.format,
             "format of the metrics; for the conditions, junit (a test case each) and github (an "
             "annotation "
             "each)",
             {{"junit", OutputFormat::junit}, {"github", OutputFormat::github}});
  command.rule(
      {"--format junit|github", "--fail-if", false, "it reports conditions such as 'mape>15'"});
  command
      .add("--residuals FILE.csv", arguments.residuals,
           "also write one line per run; its line in RUNS.csv, measured, predicted, error "
           "(predicted - measured) and error in percent of the measured time")
      .file(FileUse::output);
  command
      .count("--outliers N", arguments.outliers,
             "also list the N runs farthest from the model; by a robust z of "
             "ln(measured / predicted)")
      .excludes("--format csv|junit|github", "list them in another format");
  add_coverage(command, arguments.coverage,
               "share of times that the intervals are meant to cover; the share covered and their "
               "mean width are printed (default: as in its fit)");
  command
      .add("--baseline OLD.json", arguments.baseline,
           "an older model, judged on the same runs; changes can be gated: "
           "'mape_drift>2'")
      .file(FileUse::input);
  add_strict_range(command, arguments.strict_range);
  add_gates(command, arguments.gates,
            "end with exit code 4 if this holds: 'mape>10', 'bias>5'; 'any.bias>10', 'rows<100', "
            "'coverage<0.85', 'failed>0', 'mape_drift>2' (repeatable)",
            evaluate_figures());
  command.common({"--residuals", "--outliers", "--baseline"});
  command.footer(
      R"(Rows for which a model predicts no time > 0 are left out and counted; with --fail-if or
--strict-range they are refused.

bias is the median percentage by which runs take longer than predicted: it detects a slowdown of
all runs that mape hides. any.bias is also that of each level of a text column whose runs differ
from all others: it detects that one of several programs slowed. With many models it is that of
each. Like a drift, both fire if their 95 % interval lies beyond the threshold. Rows that the model
was fitted to are recognised by their content; if there are others, these are judged.

With --baseline, mape_drift and smape_drift are in percentage points, r2_drift is the difference,
mae_drift, mse_drift and rmse_drift are in percent of the older model's, and prediction_drift is
the mean distance of the two predictions in percent of the older one. Positive: larger now.

Examples:
  perfmodel evaluate model.json new_runs.csv
  perfmodel evaluate model.json new_runs.csv --residuals residuals.csv
  perfmodel evaluate model.json new_runs.csv --format json --fail-if 'bias>5'
  perfmodel evaluate new.json nightly.csv --baseline released.json --fail-if 'mape_drift>2')");
}

/// What a page shows, too, and no table of errors.
void add_details(const FittedModel& model, const JudgedRuns& runs, EvaluationDocument& report) {
  if (!model.bound)
    report.errors_along = errors_along(model.spec, runs.design, runs.predicted);
  if (const std::optional<Centre> centre = centre_of(model))
    report.shares = shares_of(model, runs.design, centre->configuration);
}

int run_evaluate(const EvaluateArguments& arguments, Console& console) {
  check_combination(arguments);
  const ModelSet set = picked_models(arguments.model, arguments.pick);
  if (set.size() != 1 || (set.has_keys() && arguments.pick.empty()))
    return evaluate_set(arguments, set, console);
  for (const Gate& gate : arguments.gates)
    if (is_set_figure(gate.figure) && gate.figure != kAnyBias)
      throw UsageError("--fail-if '" + gate.text + "': this is one model; leave out which");
  if (arguments.baseline && set.has_keys())
    throw UsageError("--baseline needs a model of all runs");
  OutputFile output("-");
  std::optional<OutputFile> residuals;
  if (arguments.residuals)
    residuals.emplace(*arguments.residuals);
  const FittedModel model = model_of(set);
  JudgedRuns runs = judge_runs(set, arguments, arguments.strict_range, console);
  set_rows_of_fit_aside(model, runs, arguments.residuals || arguments.outliers);
  std::optional<Eigen::VectorXd> older;  // its predictions
  if (arguments.baseline)
    older = judge_baseline(*arguments.baseline, arguments, model, runs, arguments.strict_range,
                           console);
  require_all_rows(arguments, runs);
  EvaluationDocument report{.model = model,
                            .model_file = base_name(arguments.model),
                            .runs_file = base_name(runs.file.path),
                            .runs_sha256 = sha256(runs.file.bytes)};
  report.left_out.without_time = runs.without_time;
  report.left_out.of_fit = runs.used.used;
  report.left_out.failed = runs.file.failed;
  report.metrics = measure(runs.design, runs.predicted, runs.file.table.source);
  report.bias = judged_bias(arguments, model, runs);
  const Certainty certainty = certainty_of(model, arguments.coverage, arguments.model, runs.design);
  report.intervals = report_intervals(arguments, model, runs, certainty);
  require_intervals(arguments, report);
  if (model.bound)
    report.bound = bound_use(runs.design.time, runs.predicted);
  report.support = count_support(certainty.reach);
  report.noise_floor = noise_floor(runs.design);
  if (arguments.format == OutputFormat::json)
    add_details(model, runs, report);
  if (arguments.outliers) {
    report.outliers = farthest_runs(runs, *arguments.outliers);
    report.may_be_bent = may_be_bent(model, runs, report.noise_floor);
  }
  if (older)
    report.baseline = BaselineDocument{base_name(*arguments.baseline),
                                       measure(runs.design, *older, runs.file.table.source),
                                       drift_with_intervals(runs.design, runs.predicted, *older)};
  const std::vector<JudgedGate> gates = judged_gates(arguments.gates, evaluated_figures(report));
  report.gates = {gates.begin(), gates.end()};
  output.write(formatted(report, arguments.format));
  if (residuals) {
    write_residuals(runs, certainty.reach, *residuals);
    residuals->commit();
  }
  output.commit();
  if (runs.used.used > 0)
    console.notice(runs.used.text());
  else if (report.runs_sha256 == model.provenance.sha256)
    console.notice("the model was fitted to " + report.runs_file +
                   " or parts of it: its errors on other runs may be larger");
  for (const std::string& why : open_gates(gates))
    console.notice(why);
  check_gates(gates, guess_of_target(model));
  return 0;
}

}  // namespace

Command evaluate_command() {
  return make_command<EvaluateArguments>(
      "evaluate", "Reports the errors of a model on measured runs.", setup_evaluate, run_evaluate);
}

}  // namespace perfmodel::cli
