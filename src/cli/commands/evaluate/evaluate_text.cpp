#include "cli/commands/evaluate/evaluate_text.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/wording/words.hpp"
#include "base/text.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/csv_echo.hpp"
#include "cli/terminal/shown_time.hpp"
#include "cli/terminal/text_table.hpp"
#include "trust/outliers.hpp"

namespace perfmodel::cli {
namespace {

std::string csv_value(double value) {
  return std::isfinite(value) ? to_text(value) : "";
}

/// Names as in model.json, and full precision, for programs. With a baseline one line per model and
/// one of the drift, whose columns are those of the metrics that drift.
std::string report_csv(const EvaluationDocument& report) {
  const auto cells = [](const Metrics& metrics) {
    std::string line = std::to_string(metrics.rows);
    for (const auto& [name, member] : kNamedMetrics)
      line += "," + csv_value(metrics.*member);
    return line;
  };
  std::string header = "rows,mae,mape_percent,smape_percent,mse,rmse,r2";
  std::string line = cells(report.metrics);
  if (report.intervals) {
    header += ",coverage,mean_width";
    line += "," + to_text(report.intervals->coverage) + "," + to_text(report.intervals->mean_width);
  }
  if (!report.baseline)
    return header + "\n" + line + "\n";
  const std::string blanks = report.intervals ? ",," : "";
  std::string drift;
  for (const DriftFigure& figure : report.baseline->drift)
    drift += "," + csv_value(figure.value);
  const auto last = drift.rfind(',');  // the drift of the predictions has a column of its own
  return "model," + header + ",prediction_drift\n" + csv_field(report.model_file) + "," + line +
         ",\n" + csv_field(report.baseline->file) + "," + cells(report.baseline->metrics) + blanks +
         ",\ndrift," + drift.substr(0, last) + blanks + drift.substr(last) + "\n";
}

std::string signed_number(double value) {
  return (value >= 0 ? "+" : "") + short_number(value);
}

std::vector<std::string> evaluated_cells(const Metrics& metrics, const ShownTime& time) {
  return {std::to_string(metrics.rows),
          time.number(metrics.mae),
          percent(metrics.mape_percent),
          percent(metrics.smape_percent),
          time.number(metrics.mse, 2),
          time.number(metrics.rmse),
          std::isnan(metrics.r2) ? "-" : short_number(metrics.r2)};
}

/// Percentages drift in points, r2 as it is, the others in percent of the old model's.
std::vector<std::string> drift_cells(const BaselineDocument& baseline) {
  std::vector<std::string> cells = {"drift", ""};
  for (const auto& [name, value, interval] : baseline.drift) {
    if (name == "prediction_drift")
      continue;
    const bool relative = name == "mae_drift" || name == "mse_drift" || name == "rmse_drift";
    const bool points = name == "mape_drift" || name == "smape_drift";
    cells.push_back(!std::isfinite(value) ? "-"
                                          : signed_number(value) + (relative ? " %"
                                                                    : points ? " points"
                                                                             : ""));
  }
  return cells;
}

TextTable report_table(const EvaluationDocument& report, const std::string& unit) {
  using enum Align;
  const ShownTime time(
      unit, std::max(report.metrics.mae, report.baseline ? report.baseline->metrics.mae : 0));
  std::vector<std::string> header = {"rows",  time.heading("MAE"),    "MAPE",
                                     "SMAPE", time.heading("MSE", 2), time.heading("RMSE"),
                                     "R2"};
  std::vector<std::string> cells = evaluated_cells(report.metrics, time);
  if (report.intervals) {
    header.push_back("in " + short_number(100 * report.intervals->level) + " % interval");
    header.push_back(time.heading("mean width"));
    cells.push_back(percent(100 * report.intervals->coverage));
    cells.push_back(time.number(report.intervals->mean_width));
  }
  std::vector<Align> columns(header.size(), right);
  if (!report.baseline) {
    TextTable table(columns);
    table.add(header);
    table.add(cells);
    return table;
  }
  columns.insert(columns.begin(), left);
  header.insert(header.begin(), "model");
  cells.insert(cells.begin(), clipped(report.model_file, 36));
  std::vector<std::string> old = evaluated_cells(report.baseline->metrics, time);
  old.insert(old.begin(), clipped(report.baseline->file, 36));
  TextTable table(columns);
  table.add(header);
  table.add(cells);
  table.add(old);
  table.add(drift_cells(*report.baseline));
  return table;
}

/// How sure the drift of the error is, and how far the predictions are apart.
std::string drift_in_words(const BaselineDocument& baseline) {
  std::string out = "\n";
  for (const DriftFigure& figure : baseline.drift) {
    if (figure.name == "mape_drift" && figure.interval) {
      out += "MAPE: " + signed_number(figure.value) + " points, on 95 % of runs like these " +
             signed_number(figure.interval->low) + " to " + signed_number(figure.interval->high) +
             "\n";
    }
  }
  return out + "predictions differ by " + short_number(baseline.drift.back().value) +
         " % in the mean\n";
}

/// "runs are near 290 of 300 rows (90 % in their intervals, mean width 0.002 s); ..."
std::string support_in_words(const EvaluationDocument& report, const std::string& unit) {
  const auto part = [&](const std::optional<SupportedIntervals>& intervals) -> std::string {
    if (!intervals || intervals->rows == 0)
      return "";
    return " (" + percent(100 * intervals->coverage) + " in their intervals, mean width " +
           short_number(intervals->mean_width) + (unit.empty() ? "" : " " + unit) + ")";
  };
  const auto [process, trend] = *report.support;
  const auto& intervals = report.intervals;
  return "runs are near " + std::to_string(process) + " of " + std::to_string(process + trend) +
         " rows" + part(intervals ? intervals->near : std::nullopt) + ", far from " +
         std::to_string(trend) + part(intervals ? intervals->far : std::nullopt);
}

TextTable outlier_table(const std::vector<OutlyingRun>& runs, const std::string& unit) {
  using enum Align;
  TextTable table({right, right, right, right, left});
  table.add({"line", with_unit("measured", unit), with_unit("predicted", unit), "z", ""});
  for (const OutlyingRun& run : runs) {
    table.add({std::to_string(run.line), short_number(run.measured), short_number(run.predicted),
               short_number(run.robust_z), std::abs(run.robust_z) >= kOutlierZ ? "outlier" : ""});
  }
  return table;
}

}  // namespace

std::string formatted(const EvaluationDocument& report, const FittedModel& model,
                      OutputFormat format) {
  const TextTable table = report_table(report, model.spec.unit);
  std::string end;
  if (report.rows_left_out > 0) {
    end += "rows left out, which have no predicted time: " + std::to_string(report.rows_left_out) +
           "\n";
  }
  if (report.support)
    end += support_in_words(report, model.spec.unit) + "\n";
  if (report.noise_floor)
    end += noise_floor_in_words(report.metrics.mape_percent, report.noise_floor) + "\n";
  if (report.baseline)
    end += drift_in_words(*report.baseline);
  switch (format) {
    case OutputFormat::json:
      return evaluation_to_json(model, report);
    case OutputFormat::csv:
      return report_csv(report);
    case OutputFormat::md:
      return table.markdown() + end +
             (report.outliers ? "\n" + outlier_table(*report.outliers, model.spec.unit).markdown()
                              : "");
    case OutputFormat::text:
      break;
  }
  const auto width = output_width();
  return table.text(0, width) + end +
         (report.outliers ? "\n" + outlier_table(*report.outliers, model.spec.unit).text(0, width)
                          : "");
}

}  // namespace perfmodel::cli
