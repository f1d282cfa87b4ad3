#include <algorithm>
#include <cmath>

#include "analysis/model_words.hpp"
#include "base/text.hpp"
#include "cli/fit_summary.hpp"
#include "cli/gates.hpp"
#include "forms/form.hpp"
#include "perfmodel/error.hpp"
#include "report/documents.hpp"
#include "report/markup.hpp"
#include "roles/quantities.hpp"
#include "trust/resampling.hpp"

namespace perfmodel::cli {
namespace {

/// "12.5 (95 % interval 11 .. 14)"
std::string measured_text(const GateDocument& gate) {
  if (!gate.value)
    return "there is no such figure";
  return (std::isfinite(*gate.value) ? to_text(*gate.value) : "undefined") +
         gate_interval_text(gate.interval);
}

/// "any.bias>10 for mode = a".
std::string condition_text(const GateDocument& gate) {
  return gate.condition + (gate.of.empty() ? "" : " for " + gate.of);
}

std::string judged_text(const EvaluationDocument& report) {
  return report.model_file + " on " + report.runs_file;
}

/// Escapes text of a workflow command: line feeds, percent signs and, in a title, separators.
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

/// JUnit XML with a test case per condition, which fails if the condition fires.
std::string junit_report(const EvaluationDocument& report) {
  const auto failures = std::ranges::count(report.gates, true, &GateDocument::fired);
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
  add("model.created_by", report.model.provenance.tool);
  add("data", report.runs_file);
  add("data.sha256", report.runs_sha256);
  add("rows", std::to_string(report.metrics.rows));
  for (const auto& [name, member] : kNamedMetrics)
    if (const double value = report.metrics.*member; std::isfinite(value))
      add(std::string(name), to_text(value));
  out += "    </properties>\n";
  for (const GateDocument& gate : report.gates) {
    out += "    <testcase" + attribute("classname", judged_text(report)) +
           attribute("name", "fail if " + condition_text(gate));
    if (gate.fired) {
      out += ">\n      <failure" + attribute("type", "condition") +
             attribute("message", condition_text(gate) + " holds: " + measured_text(gate)) +
             "/>\n    </testcase>\n";
    } else {
      out += "/>\n";
    }
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

/// Workflow commands of GitHub Actions: the errors as a notice, and an error per condition that
/// fires.
std::string github_annotations(const EvaluationDocument& report) {
  const Metrics& metrics = report.metrics;
  std::string out = workflow_command(
      "notice", judged_text(report),
      std::to_string(metrics.rows) + " rows: " +
          (report.bound
               ? bound_in_words(*report.model.bound, *report.bound)
               : "MAPE " + percent(metrics.mape_percent) + ", " +
                     with_unit("MAE", report.model.spec.unit) + " " + short_number(metrics.mae) +
                     ", R2 " + (std::isnan(metrics.r2) ? "-" : short_number(metrics.r2))));
  for (const GateDocument& gate : report.gates) {
    out += workflow_command(
        gate.fired ? "error" : "notice", judged_text(report),
        (gate.fired ? "failed: " : "passed: ") + condition_text(gate) + ": " + measured_text(gate));
  }
  return out;
}

std::string signed_number(double value) {
  return (value >= 0 ? "+" : "") + short_number(value);
}

/// The drift of percentages in points, of r2 as a difference, and of other metrics in percent of
/// the old model's.
doc::Cell drift_cell(const DriftFigure& figure) {
  const bool relative =
      figure.name == "mae_drift" || figure.name == "mse_drift" || figure.name == "rmse_drift";
  const bool points = figure.name == "mape_drift" || figure.name == "smape_drift";
  return std::isfinite(figure.value)
             ? doc::shown_as(figure.value, signed_number(figure.value) + (relative ? " %"
                                                                          : points ? " points"
                                                                                   : ""))
             : doc::Cell(std::nan(""));
}

/// What a bound covers and allocates. Its errors, which it has by intention, are for programs.
doc::Table bound_table(const EvaluationDocument& report) {
  doc::Table table{{doc::numbers("rows"),
                    doc::numbers("at or below the bound", "coverage", doc::percent_of_share),
                    doc::numbers("sum of bounds / measured sum", "over_allocation")}};
  std::vector<doc::Cell> cells = {report.metrics.rows, report.bound->coverage,
                                  report.bound->over_allocation};
  for (const auto& [name, metric] : kNamedMetrics) {
    table.columns.push_back(doc::for_programs(std::string(name)));
    cells.emplace_back(report.metrics.*metric);
  }
  table.add(cells);
  return table;
}

/// With a baseline, a row per model and one for the drift. The drift of the predictions has a
/// column in machine-readable formats.
doc::Table report_table(const EvaluationDocument& report, const ShownTime& time) {
  if (report.bound && !report.baseline)
    return bound_table(report);
  doc::Table table{doc::metric_columns(doc::kErrorMetrics, time)};
  std::vector<doc::Cell> cells;
  doc::add_metrics(cells, doc::kErrorMetrics, report.metrics);
  if (report.intervals) {
    table.columns.push_back(
        doc::numbers("in " + short_number(100 * report.intervals->level) + " % interval",
                     "coverage", doc::percent_of_share));
    table.columns.push_back(
        doc::numbers(time.heading("mean width"), "mean_width", doc::format_of(time)));
    cells.insert(cells.end(), {report.intervals->coverage, report.intervals->mean_width});
  }
  if (!report.baseline) {
    table.add(cells);
    return table;
  }
  table.columns.insert(table.columns.begin(), doc::words("model", "model"));
  table.columns.push_back(doc::for_programs("prediction_drift"));
  const auto name_of = [](const std::string& file) {
    return doc::shown_as(file, clipped(file, 36));
  };
  cells.insert(cells.begin(), name_of(report.model_file));
  std::vector<doc::Cell> old = {name_of(report.baseline->file)};
  doc::add_metrics(old, doc::kErrorMetrics, report.baseline->metrics);
  std::vector<doc::Cell> drift = {"drift", ""};
  for (const DriftFigure& figure : report.baseline->drift)
    drift.push_back(drift_cell(figure));
  const doc::Cell of_predictions = drift.back();
  drift.pop_back();
  drift.resize(table.columns.size() - 1);
  drift.push_back(of_predictions);
  table.add(cells);
  table.add(old);
  table.add(drift);
  return table;
}

/// The significance of the drift of the error, and the distance between the predictions.
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

/// "290 of 300 rows have training runs nearby (90 % in their intervals, mean width 2 ms), 10 have
/// none (...)"
std::string support_in_words(const EvaluationDocument& report, const ShownTime& time) {
  const auto part = [&](const std::optional<SupportedIntervals>& intervals) -> std::string {
    if (!intervals || intervals->rows == 0)
      return "";
    return " (" + percent(100 * intervals->coverage) + " in their intervals, mean width " +
           time.number(intervals->mean_width) + (time.unit().empty() ? "" : " " + time.unit()) +
           ")";
  };
  const auto [gp, trend] = *report.support;
  const auto& intervals = report.intervals;
  return std::to_string(gp) + " of " + std::to_string(gp + trend) +
         " rows have training runs nearby" + part(intervals ? intervals->near : std::nullopt) +
         ", " + std::to_string(trend) + " have none" +
         part(intervals ? intervals->far : std::nullopt);
}

doc::Table outlier_table(const std::vector<OutlyingRun>& runs, const ShownTime& time) {
  const doc::Format format = doc::format_of(time);
  doc::Table table{{doc::numbers("line"), doc::numbers(time.heading("measured"), {}, format),
                    doc::numbers(time.heading("predicted"), {}, format), doc::numbers("z"),
                    doc::words("")}};
  for (const OutlyingRun& run : runs)
    table.add({run.line, run.measured, run.predicted, run.robust_z,
               std::abs(run.robust_z) >= kOutlierZ && is_far_off(run.measured, run.predicted)
                   ? "outlier"
                   : ""});
  return table;
}

}  // namespace

std::string formatted(const EvaluationDocument& report, OutputFormat format) {
  if (format == OutputFormat::junit)
    return junit_report(report);
  if (format == OutputFormat::github)
    return github_annotations(report);
  doc::Document out{.json = [&] { return to_json(report); }};
  const ShownTime time(
      shown_unit(report.model.spec),
      std::max(report.metrics.mae, report.baseline ? report.baseline->metrics.mae : 0));
  out.add(report_table(report, time));
  std::string end;
  if (report.left_out.without_time > 0) {
    end += "rows left out, which have no predicted time: " +
           std::to_string(report.left_out.without_time) + "\n";
  }
  if (report.bound)
    end += bound_in_words(*report.model.bound, *report.bound) + "\n";
  if (report.support)
    end += support_in_words(report, time) + "\n";
  for (const std::string& line :
       bias_lines(report.bias, report.metrics.mape_percent, measure_of(report.model.spec)))
    end += (line.starts_with("bias") ? "" : "  ") + line + "\n";
  if (report.noise_floor)
    end += noise_floor_in_words(report.metrics.mape_percent, report.noise_floor, report.bias.all) +
           "\n";
  if (report.baseline)
    end += drift_in_words(*report.baseline);
  if (report.outliers)
    end += "\n";
  if (report.may_be_bent)
    end +=
        "the model misses most runs: an outlier may have bent it, so that the runs beside it stand "
        "out;\ncompare with the outliers of another form, as of fit --expression auto\n";
  if (!end.empty())
    out.add(end);
  if (report.outliers)
    out.add(outlier_table(*report.outliers, time));
  return out.in(format, output_width());
}

}  // namespace perfmodel::cli
