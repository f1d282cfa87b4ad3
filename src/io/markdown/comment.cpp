#include "io/markdown/comment.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "base/readable.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "io/html/answers.hpp"

namespace perfmodel {
namespace page {
namespace {

constexpr std::size_t kWorstOfComment = 3;
constexpr std::size_t kGroupsOfComment = 10;

/// A text in which nothing is markup, on one line.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_[]<>#|&~").find(c) != std::string_view::npos)
      out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string table_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells)
    out += " " + cell + " |";
  return out + "\n";
}

/// Under their headings, the first column to the left, the others to the right; empty without rows.
std::string table_of(const std::vector<std::string>& headings,
                     const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty())
    return "";
  std::vector<std::string> rule(headings.size(), "---:");
  rule.front() = "---";
  std::string out = "\n" + table_row(headings) + table_row(rule);
  for (const auto& row : rows)
    out += table_row(row);
  return out;
}

std::string answer_lines(const Answer& answer) {
  std::string out = "\n**" + plain(answer.question) + "** " +
                    (answer.is_alarming ? "\u26a0 " : "") + plain(answer.figure) + "\n";
  for (const std::string& line : answer.lines)
    out += "- " + plain(line) + "\n";
  return out;
}

std::string forecast_rows(const Content& content) {
  const std::string& unit = content.model.spec.unit;
  std::vector<std::vector<std::string>> rows;
  for (const ScaleCurve& curve : content.curves) {
    const bool of_workers = scaling::counts_workers(curve.column);
    for (const Forecast& forecast : curve.forecasts) {
      if (forecast.scale < curve.shown)
        continue;
      rows.push_back({plain(curve.column) + " = " + short_number(forecast.scale),
                      time_text(forecast.time, unit),
                      forecast.interval
                          ? time_range_text(forecast.interval->low, forecast.interval->high, unit)
                          : "",
                      of_workers ? percent(100 * forecast.efficiency) : "",
                      forecast.measured ? "" : "not measured"});
    }
  }
  return table_of({"at", "time", "interval", "efficiency", ""}, rows);
}

std::string group_rows(const Content& content) {
  if (!content.groups)
    return "";
  std::vector<std::vector<std::string>> rows;
  for (const RunGroup& group : content.groups->groups) {
    if (rows.size() < kGroupsOfComment)
      rows.push_back({plain(group.level), std::to_string(group.rows),
                      time_text(group.median_time, content.model.spec.unit), percent(group.mape)});
  }
  return table_of({plain(content.groups->column), "runs", "median time", "error"}, rows);
}

std::string worst_rows(const Content& content) {
  const std::string& unit = content.model.spec.unit;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(kWorstOfComment, content.errors.worst.size()); ++i) {
    const JudgedRow& row = content.errors.worst[i];
    rows.push_back({"line " + std::to_string(row.line), time_text(row.measured, unit),
                    time_text(row.predicted, unit),
                    (row.error_percent > 0 ? "+" : "") + percent(row.error_percent),
                    plain(settings_text(content.worst_settings[i]))});
  }
  return table_of({"worst runs", "measured", "predicted", "error", "configuration"}, rows);
}

}  // namespace
}  // namespace page

std::string report_markdown(const page::Content& content, const std::string& title) {
  using namespace page;
  std::string out =
      "### " + plain(title_text(content, title)) + "\n\n" + plain(subtitle(content)) + ".\n";
  for (const Answer& answer : answers_of(content))
    out += answer_lines(answer);
  out += forecast_rows(content) + group_rows(content) + worst_rows(content);
  const std::vector<std::string> warnings = warnings_of(content);
  if (!warnings.empty())
    out += "\n**Warnings**\n";
  for (const std::string& warning : warnings)
    out += "- " + plain(warning) + "\n";
  return out;
}

}  // namespace perfmodel
