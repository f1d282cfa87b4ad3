#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "analysis/constants.hpp"
#include "base/text.hpp"
#include "forms/form.hpp"
#include "report/figures.hpp"
#include "report/page.hpp"

namespace perfmodel::page {

void Table::add(const std::vector<std::string>& cells) {
  body_ += "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string style =
        (headings_[i].kind == CellKind::number ? attribute("class", "n") : std::string()) +
        // Where rows are stacked; a name says by itself what it is, a number does not.
        (i == 0 && headings_[i].kind != CellKind::number
             ? ""
             : attribute("data-label", headings_[i].text));
    body_ += i == 0 ? "<th scope=\"row\"" + style + ">" + cells[i] + "</th>"
                    : "<td" + style + ">" + cells[i] + "</td>";
  }
  body_ += "</tr>\n";
}

void Table::add_group(const std::string& name) {
  body_ += std::string(body_.empty() ? "" : "</tbody>\n<tbody>\n") +
           "<tr><th scope=\"rowgroup\" class=\"group\" colspan=\"" +
           std::to_string(headings_.size()) + "\">" + escaped_markup(name) + "</th></tr>\n";
}

std::string Table::html() const {
  if (body_.empty())
    return "";
  std::string head;
  for (const Heading& heading : headings_) {
    head += "<th scope=\"col\"" +
            (heading.kind == CellKind::number ? attribute("class", "n") : std::string()) + ">" +
            escaped_markup(heading.text) + "</th>";
  }
  return "<div class=\"wide\"><table>\n<caption>" + escaped_markup(caption_) +
         "</caption>\n<thead><tr>" + head + "</tr></thead>\n<tbody>\n" + body_ +
         "</tbody>\n</table></div>\n";
}

std::string figure_of(double value, const std::string& text) {
  return element("data", attribute("value", to_text(value)), escaped_markup(text));
}

std::string number_cell(double value) {
  return figure_of(value, short_number(value));
}

std::string time_cell(double time, const std::string& unit) {
  return figure_of(time, time_text(time, unit));
}

std::string doubtful_cell(const std::string& markup) {
  return element("span", attribute("class", "doubt"), markup);
}

namespace {

std::string ends_text(const std::optional<Interval>& interval) {
  return interval ? short_number(interval->low) + " .. " + short_number(interval->high) : "";
}

std::string status_cell(ConstantStatus status) {
  const bool doubtful =
      status == ConstantStatus::undetermined || status == ConstantStatus::at_bound;
  const std::string text(to_text(status));
  return doubtful ? doubtful_cell(text) : text;
}

/// "95 % interval", which only a bootstrap gives.
std::string interval_heading(const FittedModel& model) {
  return short_number(100 * model.uncertainty->confidence) + " % interval";
}

/// Headings of what is known of a constant; the model decides which there are.
std::vector<Heading> constant_headings(const FittedModel& model, const std::string& first) {
  std::vector<Heading> headings = {{first}, {"value", CellKind::number}};
  if (model.uncertainty)
    headings.push_back({interval_heading(model)});
  if (model.identifiability)
    headings.push_back({"by fitted runs"});
  return headings;
}

std::vector<std::string> constant_cells(const FittedModel& model, const ConstantRow& row) {
  std::vector<std::string> cells = {escaped_markup(row.name), number_cell(row.value)};
  if (model.uncertainty)
    cells.push_back(escaped_markup(ends_text(row.interval)));
  if (model.identifiability)
    cells.push_back(status_cell(row.status));
  return cells;
}

}  // namespace

TimeUnit page_unit(const Content& content) {
  return readable_unit(content.median_time, content.model.spec.unit);
}

std::string metrics_table(const Content& content) {
  const TimeUnit unit = page_unit(content);
  using enum CellKind;
  Table table("Errors: MAE, MSE and RMSE in the unit of the time, MAPE and SMAPE in percent",
              {{"part"},
               {"rows", number},
               {with_unit("MAE", unit.name), number},
               {"MAPE", number},
               {"SMAPE", number},
               {with_unit("MSE", unit.name.empty() ? "" : unit.name + "^2"), number},
               {with_unit("RMSE", unit.name), number},
               {"R2", number}});
  const auto add = [&](const std::string& name, const Metrics& metrics) {
    table.add({escaped_markup(name), std::to_string(metrics.rows),
               figure_of(metrics.mae, short_number(metrics.mae * unit.factor)),
               figure_of(metrics.mape_percent, percent(metrics.mape_percent)),
               figure_of(metrics.smape_percent, percent(metrics.smape_percent)),
               figure_of(metrics.mse, short_number(metrics.mse * unit.factor * unit.factor)),
               figure_of(metrics.rmse, short_number(metrics.rmse * unit.factor)),
               std::isnan(metrics.r2) ? "-" : number_cell(metrics.r2)});
  };
  for (const Part& part : content.parts)
    add("fit: " + part.name, part.metrics);
  add("these runs: " + content.runs.file, content.metrics);
  return table.html();
}

std::string worst_table(const Content& content) {
  const std::string& unit = content.model.spec.unit;
  using enum CellKind;
  Table table("The largest errors in percent, with their lines in " + shown_name(content.runs.file),
              {{"line", number},
               {"measured", number},
               {"predicted", number},
               {"error", number},
               {"configuration"}});
  std::size_t next = 0;
  for (const JudgedRow& row : content.errors.worst) {
    table.add({std::to_string(row.line), time_cell(row.measured, unit),
               time_cell(row.predicted, unit),
               figure_of(row.error_percent,
                         (row.error_percent > 0 ? "+" : "") + percent(row.error_percent)),
               escaped_markup(settings_text(content.worst_settings[next++]))});
  }
  return table.html();
}

std::string effect_table(const Content& content) {
  Table table(
      "What each input does to the time of the shown configuration, all others held: "
      "scales doubled, other numbers from their low to their high typical value, levels "
      "from the fastest to the slowest" +
          std::string(content.model.spec.derived.empty()
                          ? ""
                          : "; without inputs that others are derived from, but for scales"),
      {{"input"}, {"from -> to"}, {"ratio", CellKind::number}, {"90 % interval"}, {""}});
  for (const Effect& effect : content.effects) {
    const std::string ends = ends_text(effect.interval);
    table.add({escaped_markup(effect.column),
               escaped_markup(value_text(effect.from) + " -> " + value_text(effect.to)),
               number_cell(effect.ratio), effect.is_determined() ? ends : doubtful_cell(ends),
               effect.measured ? "" : doubtful_cell("not measured")});
  }
  return table.html();
}

std::string power_table(const Content& content) {
  const FittedModel& model = content.model;
  std::vector<Heading> headings = {
      {"column"}, {"doubled"}, {"measured"}, {"power", CellKind::number}};
  if (model.uncertainty)
    headings.push_back({interval_heading(model)});
  Table table("What doubling a scale does at " + content.typical.place, headings);
  for (const ScalingPower& power : content.powers) {
    const auto doubling =
        std::find_if(content.doublings.begin(), content.doublings.end(),
                     [&](const Effect& item) { return item.column == power.column; });
    std::vector<std::string> cells = {escaped_markup(power.column)};
    cells.push_back(power.derived ? "a derived column"
                    : doubling == content.doublings.end()
                        ? "-"
                        : escaped_markup(effect_in_words(*doubling)));
    cells.push_back(
        escaped_markup(to_text(power.measured.low) + " .. " + to_text(power.measured.high)));
    cells.push_back(number_cell(power.power));
    if (model.uncertainty)
      cells.push_back(escaped_markup(ends_text(power.interval)));
    table.add(cells);
  }
  return table.html();
}

std::string constant_tables(const Content& content) {
  const FittedModel& model = content.model;
  std::string out;
  if (model.form->words().lists_terms) {
    for (const ConstantGroup& group : content.constants) {
      Table table(group.name == "C" ? "Constant part" : "Constants of " + group.name,
                  constant_headings(model, "constant"));
      for (const ConstantRow& row : group.constants)
        table.add(constant_cells(model, row));
      out += table.html();
    }
    return out;
  }
  Table table("Constants, in the units of the data", constant_headings(model, "constant"));
  for (const ConstantGroup& group : content.constants) {
    if (group.constants.size() > 1)
      table.add_group(group.name);
    for (const ConstantRow& row : group.constants)
      table.add(constant_cells(model, row));
  }
  return table.html();
}

std::string difference_table(const Content& content) {
  Table table("Differences between levels, which is what the runs can tell of them",
              constant_headings(content.model, "difference"));
  std::string column;
  for (const LevelDifference& difference : content.differences) {
    if (difference.column != column)
      table.add_group(difference.column);
    column = difference.column;
    table.add(constant_cells(content.model, difference.difference));
  }
  return table.html();
}

std::string file_table(const Content& content) {
  const Provenance& fitted = content.model.provenance;
  Table table("Files", {{"file"}, {"what it is"}, {"rows", CellKind::number}, {"SHA-256"}});
  const auto digest = [](const std::string& sha256) {
    return sha256.empty() ? std::string("not known") : element("code", "", escaped_markup(sha256));
  };
  const auto add = [&](const std::string& file, const std::string& what, std::size_t rows,
                       const std::string& sha256) {
    table.add({escaped_markup(shown_name(file)), what, std::to_string(rows), digest(sha256)});
  };
  if (!fitted.file.empty())
    add(fitted.file, "runs that the model was fitted to", fitted.rows, fitted.sha256);
  add(content.runs.file, "runs of this page", content.runs.rows, content.runs.sha256);
  return table.html();
}

std::string search_table(const Content& content) {
  const SearchSummary& search = content.model.search;
  if (search.strategy.empty())
    return "";
  Table table("The search for the constants", {{"what"}, {"value"}});
  table.add({"program", escaped_markup(content.model.provenance.tool)});
  table.add({"expression", std::string(content.model.form->words().noun)});
  if (search.process)
    table.add({"objective", escaped_markup(search.process->objective)});
  else
    table.add({"loss", escaped_markup(std::string(to_text(search.loss)))});
  if (search.penalty.l1 != 0)
    table.add({"L1 penalty", short_number(search.penalty.l1)});
  if (search.penalty.l2 != 0)
    table.add({"L2 penalty", short_number(search.penalty.l2)});
  table.add({"seed", std::to_string(search.seed)});
  table.add({"strategy", escaped_markup(search.strategy)});
  table.add(
      {"end",
       escaped_markup(search.termination) + " after " +
           (search.generations > 0 ? std::to_string(search.generations) + " generations, " : "") +
           std::to_string(search.evaluations) + " evaluations"});
  return table.html();
}

}  // namespace perfmodel::page

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

namespace perfmodel::figures {
namespace {

constexpr std::string_view kEnd = "</svg>";
/// The rules of figures stand together in the style sheet of the page.
constexpr std::string_view kFirstRule = "\nsvg text {";
constexpr std::string_view kRuleBehind = "\n.wide {";
static_assert(page::kStyle.find(kFirstRule) < page::kStyle.find(kRuleBehind));

std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

/// Of light paper and without variables, which not every program that reads SVG knows.
std::string figure_style() {
  std::string out = "text {" + std::string(between(page::kStyle, kFirstRule, kRuleBehind)) + "\n";
  std::string_view colours = between(page::kStyle, ":root {", "}");
  for (std::size_t at = colours.find("--"); at < colours.size(); at = colours.find("--")) {
    colours.remove_prefix(at);
    const std::size_t colon = colours.find(':');
    const std::string use = "var(" + std::string(colours.substr(0, colon)) + ")";
    const std::string value(between(colours, ": ", ";"));
    for (std::size_t to = out.find(use); to != std::string::npos; to = out.find(use, to))
      out.replace(to, use.size(), value);
    colours.remove_prefix(colon);
  }
  return out;
}

std::string document_of(std::string_view markup, const std::string& style) {
  const std::size_t open = markup.find('>');
  const std::string view(between(markup, "viewBox=\"0 0 ", "\""));
  const std::size_t blank = view.find(' ');
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + std::string(markup.substr(0, open)) +
         " width=\"" + view.substr(0, blank) + "\" height=\"" + view.substr(blank + 1) +
         "\">\n<style>\n" + style + "</style>" + std::string(markup.substr(open + 1)) + "\n";
}

}  // namespace

std::vector<FigureFile> figures_of_page(std::string_view page) {
  const std::string style = figure_style();
  std::vector<FigureFile> out;
  for (std::size_t at = page.find("<svg "); at != std::string_view::npos;
       at = page.find("<svg ", at + 1)) {
    const std::string_view markup = page.substr(at, page.find(kEnd, at) + kEnd.size() - at);
    // "parity" of aria-labelledby="parity-title parity-desc"
    out.push_back(
        {std::string(between(markup, "aria-labelledby=\"", "-title")), document_of(markup, style)});
  }
  return out;
}

}  // namespace perfmodel::figures
