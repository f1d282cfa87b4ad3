#include "cli/commands/evaluate/gate_reports.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/printable.hpp"
#include "base/readable.hpp"
#include "base/text.hpp"
#include "perfmodel/base/error.hpp"

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

}  // namespace perfmodel::cli
