#include <algorithm>
#include <cmath>
#include <string_view>

#include "analysis/constants.hpp"
#include "base/text.hpp"
#include "cli/console.hpp"
#include "cli/text_table.hpp"
#include "cli/texts.hpp"
#include "forms/form.hpp"
#include "perfmodel/error.hpp"
#include "trust/resampling.hpp"

namespace perfmodel::cli {
namespace {

/// A text as an attribute of XML, which has no way to say a control.
std::string xml_text(const std::string& text) {
  std::string out;
  for (const char c : printable_word(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + xml_text(value) + "\"";
}

/// "12.5 (95 % interval 11 .. 14)"
std::string measured_text(const GateDocument& gate) {
  if (!gate.value)
    return "there is no such figure";
  std::string out = std::isfinite(*gate.value) ? to_text(*gate.value) : "undefined";
  if (gate.interval) {
    out += " (95 % interval " + rounded(gate.interval->low) + " .. " +
           rounded(gate.interval->high) + ")";
  }
  return out;
}

std::string judged_text(const EvaluationDocument& report) {
  return report.model_file + " on " + report.runs_file;
}

/// A message of a workflow command: line feeds and percent signs would end it, in its title also
/// what separates properties.
std::string workflow_text(const std::string& text, bool in_title) {
  std::string out;
  for (const char c : printable_word(text))
    if (c == '%')
      out += "%25";
    else if (in_title && c == ':')
      out += "%3A";
    else if (in_title && c == ',')
      out += "%2C";
    else
      out += c;
  return out;
}

std::string workflow_command(const std::string& level, const std::string& title,
                             const std::string& message) {
  return "::" + level + " title=" + workflow_text(title, true) +
         "::" + workflow_text(message, false) + "\n";
}

}  // namespace

void check_gate_report(OutputFormat format, bool has_conditions, bool has_outliers) {
  if (format != OutputFormat::junit && format != OutputFormat::github)
    return;
  if (!has_conditions)
    throw UsageError("--format junit and github tell of conditions; pass --fail-if 'mape>15'");
  if (has_outliers)
    throw UsageError("--format junit and github have no --outliers; list them in another format");
}

std::string junit_report(const EvaluationDocument& report, const FittedModel& model) {
  const auto failures = std::count_if(report.gates.begin(), report.gates.end(),
                                      [](const GateDocument& gate) { return gate.fired; });
  const std::string counts = attribute("name", "perfmodel evaluate") +
                             attribute("tests", std::to_string(report.gates.size())) +
                             attribute("failures", std::to_string(failures)) +
                             attribute("errors", "0") + attribute("skipped", "0");
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts +
                    ">\n  <testsuite" + counts + ">\n    <properties>\n";
  const auto add = [&](const std::string& name, const std::string& value) {
    out += "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
  };
  add("model", report.model_file);
  add("model.created_by", model.provenance.tool);
  add("data", report.runs_file);
  add("data.sha256", report.runs_sha256);
  add("rows", std::to_string(report.metrics.rows));
  for (const auto& [name, member] : kNamedMetrics)
    if (const double value = report.metrics.*member; std::isfinite(value))
      add(std::string(name), to_text(value));
  out += "    </properties>\n";
  for (const GateDocument& gate : report.gates) {
    out += "    <testcase" + attribute("classname", judged_text(report)) +
           attribute("name", "fail if " + gate.condition);
    if (gate.fired) {
      out += ">\n      <failure" + attribute("type", "condition") +
             attribute("message", gate.condition + " holds: " + measured_text(gate)) +
             "/>\n    </testcase>\n";
    } else {
      out += "/>\n";
    }
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

std::string github_annotations(const EvaluationDocument& report, const FittedModel& model) {
  const Metrics& metrics = report.metrics;
  std::string out = workflow_command(
      "notice", judged_text(report),
      std::to_string(metrics.rows) + " rows: MAPE " + percent(metrics.mape_percent) + ", " +
          with_unit("MAE", model.spec.unit) + " " + short_number(metrics.mae) + ", R2 " +
          (std::isnan(metrics.r2) ? "-" : short_number(metrics.r2)));
  for (const GateDocument& gate : report.gates) {
    out += workflow_command(
        gate.fired ? "error" : "notice", judged_text(report),
        (gate.fired ? "failed: " : "passed: ") + gate.condition + ": " + measured_text(gate));
  }
  return out;
}

namespace {

std::string exact_cell(double value) {
  return std::isfinite(value) ? to_text(value) : "";
}

/// Names as in model.json, and full precision, for programs. With a baseline one line per model and
/// one of the drift, whose columns are those of the metrics that drift.
TextTable exact_evaluation(const EvaluationDocument& report) {
  const auto cells = [](const Metrics& metrics) {
    std::vector<std::string> row = {std::to_string(metrics.rows)};
    for (const auto& [name, member] : kNamedMetrics)
      row.push_back(exact_cell(metrics.*member));
    return row;
  };
  std::vector<std::string> header = {"rows"};
  for (const auto& [name, member] : kNamedMetrics)
    header.emplace_back(name);
  std::vector<std::string> now = cells(report.metrics);
  if (report.intervals) {
    header.insert(header.end(), {"coverage", "mean_width"});
    now.insert(now.end(),
               {to_text(report.intervals->coverage), to_text(report.intervals->mean_width)});
  }
  TextTable table(std::vector<Align>(header.size() + 2, Align::right));
  if (!report.baseline) {
    table.add(header);
    table.add(now);
    return table;
  }
  const auto add = [&](const std::string& name, std::vector<std::string> row,
                       const std::string& last) {
    row.insert(row.begin(), name);
    row.resize(header.size() + 1);
    row.push_back(last);
    table.add(std::move(row));
  };
  std::vector<std::string> drift = {""};
  for (const DriftFigure& figure : report.baseline->drift)
    drift.push_back(exact_cell(figure.value));
  const std::string of_predictions = drift.back();  // has a column of its own
  drift.pop_back();
  add("model", header, "prediction_drift");
  add(report.model_file, now, "");
  add(report.baseline->file, cells(report.baseline->metrics), "");
  add("drift", drift, of_predictions);
  return table;
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
               short_number(run.robust_z),
               std::abs(run.robust_z) >= kOutlierZ && is_far_off(run.measured, run.predicted)
                   ? "outlier"
                   : ""});
  }
  return table;
}

}  // namespace

std::string formatted(const EvaluationDocument& report, const FittedModel& model,
                      OutputFormat format) {
  if (format == OutputFormat::junit)
    return junit_report(report, model);
  if (format == OutputFormat::github)
    return github_annotations(report, model);
  OutputTables out(exact_evaluation(report), [&] { return to_json(Evaluation{model, report}); });
  out.add(report_table(report, model.spec.unit));
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
  if (report.outliers)
    end += "\n";
  if (!end.empty())
    out.add(end);
  if (report.outliers)
    out.add(outlier_table(*report.outliers, model.spec.unit));
  return out.in(format, output_width());
}

}  // namespace perfmodel::cli
