#include "report/document.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "report/markup.hpp"

namespace perfmodel {

ShownTime::ShownTime(const Unit& unit, double typical)
    : unit_(typical > 0 && (typical < 0.1 || typical >= 1e4) ? readable_unit(10 * typical, unit)
                                                             : TimeUnit{unit.name, 1}) {}

std::string ShownTime::heading(const std::string& name, int power) const {
  return with_unit(name,
                   unit().empty() || power == 1 ? unit() : fmt::format("{}^{}", unit(), power));
}

std::string ShownTime::number(double time, int power) const {
  return short_number(time * std::pow(unit_.factor, power));
}

}  // namespace perfmodel

namespace perfmodel::doc {

Column words(std::string heading, std::string name) {
  return {.heading = std::move(heading), .name = std::move(name)};
}

Column numbers(std::string heading, std::string name, Format format) {
  return {std::move(heading), Align::right, std::move(format), std::move(name)};
}

Column for_programs(std::string name) {
  return {.heading = {}, .name = std::move(name), .hidden = true};
}

std::string all_digits(double number) {
  return to_text(number);
}

std::string percent_of_share(double share) {
  return percent(100 * share);
}

Format time_in(const Unit& unit) {
  return [unit](double time) { return time_text(time, unit); };
}

Format format_of(const ShownTime& time, int power) {
  return [time, power](double value) { return time.number(value, power); };
}

Cell::Cell(const std::optional<double>& number) {
  value = number.value_or(std::nan(""));
}

Cell::Cell(const std::optional<Interval>& interval) {
  if (interval)
    value = *interval;
}

Cell doubtful(Cell cell) {
  cell.style = Cell::Style::doubtful;
  return cell;
}

Cell code(std::string text) {
  Cell cell = std::move(text);
  cell.style = Cell::Style::code;
  return cell;
}

Cell shown_as(Cell cell, std::string shown) {
  cell.shown = std::move(shown);
  return cell;
}

std::string_view truth(bool value) {
  return value ? "true" : "false";
}

std::string Table::text(const std::vector<Cell>& row, std::size_t column) const {
  if (column >= row.size())
    return "";
  const Cell& cell = row[column];
  const Format& format = columns[column].format;
  if (!cell.shown.empty())
    return cell.shown;
  if (const auto* const number = std::get_if<double>(&cell.value))
    return std::isnan(*number) ? "-" : format(*number);
  if (const auto* const interval = std::get_if<Interval>(&cell.value))
    return fmt::format("{} .. {}", format(interval->low), format(interval->high));
  return std::get<std::string>(cell.value);
}

std::vector<Column> metric_columns(std::span<const std::string_view> names, const ShownTime& time) {
  const std::map<std::string_view, Column> known = {
      {"rows", numbers("rows")},
      {"mae", numbers(time.heading("MAE"), {}, format_of(time))},
      {"mape_percent", numbers("MAPE", {}, percent)},
      {"smape_percent", numbers("SMAPE", {}, percent)},
      {"mse", numbers(time.heading("MSE", 2), {}, format_of(time, 2))},
      {"rmse", numbers(time.heading("RMSE"), {}, format_of(time))},
      {"r2", numbers("R2")}};
  std::vector<Column> out;
  for (const std::string_view name : names) {
    out.push_back(known.at(name));
    out.back().name = name;
  }
  return out;
}

void add_metrics(std::vector<Cell>& cells, std::span<const std::string_view> names,
                 const Metrics& metrics) {
  for (const std::string_view name : names) {
    if (name == "rows")
      cells.emplace_back(metrics.rows);
    for (const auto& [known, member] : kNamedMetrics)
      if (known == name)
        cells.emplace_back(metrics.*member);
  }
}

Table metrics_table(const std::string& first, std::span<const std::string_view> names,
                    const ShownTime& time,
                    const std::vector<std::pair<std::string, std::optional<Metrics>>>& parts) {
  Table table{metric_columns(names, time)};
  table.columns.insert(table.columns.begin(), words(first));
  for (const auto& [name, metrics] : parts) {
    if (!metrics)
      continue;
    std::vector<Cell> cells = {name};
    add_metrics(cells, names, *metrics);
    table.add(std::move(cells));
  }
  return table;
}

std::vector<Column> scale_columns(const std::string& scale, const std::string& time, Format format,
                                  std::optional<double> level) {
  std::vector<Column> out = {numbers(scale, "scale", all_digits), numbers(time, "time", format)};
  if (level)
    out.push_back({short_number(100 * *level) + " % interval", Align::left, std::move(format)});
  out.push_back(numbers("speedup", "speedup"));
  out.push_back(numbers("efficiency", "efficiency", percent_of_share));
  return out;
}

namespace {

constexpr std::size_t kGap = 2;            // between columns
constexpr std::size_t kShortestText = 12;  // that is still readable

/// Visible texts of a table: headings first, and the name of each group before its rows.
struct Grid {
  std::vector<Align> columns;
  std::vector<std::vector<std::string>> rows;
};

Grid grid_of(const Table& table) {
  Grid out;
  std::vector<std::string> heading;
  for (const Column& column : table.columns) {
    if (column.hidden)
      continue;
    out.columns.push_back(column.align);
    heading.push_back(column.heading);
  }
  auto group = table.groups.begin();
  if (group == table.groups.end() || group->first > 0)
    out.rows.push_back(heading);
  for (const auto& row : table.rows) {
    if (group != table.groups.end() && &row == &table.rows[group->first]) {
      if (!out.rows.empty())
        out.rows.push_back({""});
      heading.front() = (group++)->second;
      out.rows.push_back(heading);
    }
    std::vector<std::string>& cells = out.rows.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c)
      if (!table.columns[c].hidden)
        cells.push_back(table.text(row, c));
  }
  return out;
}

/// Wraps a text into lines of at most `width`, all with its indentation; clips longer words.
std::vector<std::string> clipped_lines(const std::string& text, std::size_t width) {
  const std::size_t indentation = std::min(text.find_first_not_of(' '), text.size());
  std::vector<std::string> lines = lines_within(text, width, indentation);
  for (std::string& line : lines)
    line = clipped(line, width);
  return lines;
}

/// Narrows the widest text columns until all columns fit into `room`.
void shorten_texts(const std::vector<Align>& columns, std::size_t room,
                   std::vector<std::size_t>& widths) {
  const auto taken = [&] {
    return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  };
  while (taken() > room) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (columns[i] == Align::left && widths[i] > kShortestText &&
          (widest == widths.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == widths.size())
      return;
    --widths[widest];
  }
}

std::vector<std::size_t> widths_of(const Grid& grid) {
  std::vector<std::size_t> widths(grid.columns.size(), 0);
  for (const auto& row : grid.rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(printable_word(row[i])));
  return widths;
}

void add_lines(const Grid& grid, const std::vector<std::size_t>& shown,
               const std::vector<std::size_t>& widths, std::size_t indentation,
               std::vector<std::string>& lines) {
  for (const auto& row : grid.rows) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (const std::size_t i : shown) {
      cells.push_back(clipped_lines(i < row.size() ? printable_word(row[i]) : "", widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t l = 0; l < height; ++l) {
      std::string line(indentation, ' ');
      for (std::size_t k = 0; k < shown.size(); ++k) {
        const std::string cell = l < cells[k].size() ? cells[k][l] : "";
        const std::string padding(widths[shown[k]] - display_width(cell), ' ');
        line += k == 0 ? "" : std::string(kGap, ' ');
        line += grid.columns[shown[k]] == Align::left ? cell + padding : padding + cell;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      lines.push_back(std::move(line));
    }
  }
}

std::string exact_text(const Cell& cell) {
  if (const auto* const number = std::get_if<double>(&cell.value))
    return std::isfinite(*number) ? to_text(*number) : "";
  const auto* const words = std::get_if<std::string>(&cell.value);
  return words != nullptr ? *words : "";
}

std::vector<std::size_t> csv_columns(const Table& table) {
  std::vector<std::size_t> out;
  const auto add = [&](const auto& is_wanted) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (is_wanted(table.columns[c].name))
        out.push_back(c);
  };
  if (table.csv.empty())
    add([](const std::string& name) { return !name.empty(); });
  for (const std::string& wanted : table.csv)
    add([&](const std::string& name) { return name == wanted; });
  return out;
}

constexpr std::string_view kMarkdownMarks = "\\`*_[]<>#|&~";

std::string markdown_text(std::string_view text, std::string_view marks) {
  std::string out;
  for (const char c : text) {
    if (marks.find(c) != std::string_view::npos)
      out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_table(const Table& table, std::string_view marks) {
  const Grid grid = grid_of(table);
  std::string text;
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    const auto& row = grid.rows[r];
    text += "|";
    for (std::size_t c = 0; c < grid.columns.size(); ++c)
      text += " " + (c < row.size() ? markdown_text(printable_word(row[c]), marks) : "") + " |";
    text += "\n";
    if (r == 0) {
      text += "|";
      for (const Align align : grid.columns)
        text += align == Align::left ? " --- |" : " ---: |";
      text += "\n";
    }
  }
  return text;
}

std::string latex_text(const std::string& cell) {
  static const std::map<char, std::string> marks = {{'\\', "\\textbackslash{}"},
                                                    {'^', "\\textasciicircum{}"},
                                                    {'~', "\\textasciitilde{}"},
                                                    {'<', "\\textless{}"},
                                                    {'>', "\\textgreater{}"},
                                                    {'|', "\\textbar{}"},
                                                    {'&', "\\&"},
                                                    {'%', "\\%"},
                                                    {'$', "\\$"},
                                                    {'#', "\\#"},
                                                    {'_', "\\_"},
                                                    {'{', "\\{"},
                                                    {'}', "\\}"}};
  std::string out;
  for (const char c : printable_word(cell)) {
    const auto mark = marks.find(c);
    out += mark == marks.end() ? std::string(1, c) : mark->second;
  }
  return out;
}

/// Returns a table that needs no LaTeX package.
std::string latex_table(const Table& table) {
  const Grid grid = grid_of(table);
  std::string text = "\\begin{tabular}{";
  for (const Align align : grid.columns)
    text += align == Align::left ? 'l' : 'r';
  text += "}\n";
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    const auto& row = grid.rows[r];
    for (std::size_t c = 0; c < row.size(); ++c)
      text += (c == 0 ? "  " : " & ") + latex_text(row[c]);
    text += r == 0 ? " \\\\ \\hline\n" : " \\\\\n";
  }
  return text + "\\end{tabular}\n";
}

/// Returns the lines without leading and trailing blank lines.
std::string without_blanks(const std::string& lines) {
  const auto first = lines.find_first_not_of('\n');
  if (first == std::string::npos)
    return "";
  return printable(lines.substr(first, lines.find_last_not_of('\n') + 1 - first)) + "\n";
}

std::string item_lines(const std::vector<std::string>& items, std::string_view marks) {
  std::string out;
  for (const std::string& item : items)
    out += "- " + markdown_text(printable_word(item), marks) + "\n";
  return out;
}

/// Returns a block other than a table as Markdown.
std::string markdown_lines(const Block& block, std::string_view marks) {
  if (const auto* const heading = std::get_if<Heading>(&block))
    return fmt::format("**{}**\n", markdown_text(printable_word(heading->text), marks));
  if (const auto* const paragraph = std::get_if<Paragraph>(&block))
    return markdown_text(without_blanks(paragraph->lines), marks);
  if (const auto* const list = std::get_if<List>(&block))
    return item_lines(list->items, marks);
  if (const auto* const answer = std::get_if<Answer>(&block))
    return fmt::format("**{}** {}{}\n{}", markdown_text(printable_word(answer->question), marks),
                       answer->is_alarming ? "\u26a0 " : "",
                       markdown_text(printable_word(answer->figure), marks),
                       item_lines(answer->lines, marks));
  return "";
}

std::string latex_comment(const std::string& text) {
  std::string out = "% ";
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    out += text[i] == '\n' ? "\n% " : std::string(1, text[i]);
  return text.empty() ? "" : out + "\n";
}

std::string markdown_block(const Block& block, bool escapes_markup) {
  const auto* const table = std::get_if<Table>(&block);
  if (table == nullptr)
    return markdown_lines(block, escapes_markup ? kMarkdownMarks : "");
  return markdown_table(*table, escapes_markup ? kMarkdownMarks : "|");
}

std::string latex_block(const Block& block, bool) {
  const auto* const table = std::get_if<Table>(&block);
  return table == nullptr ? latex_comment(markdown_lines(block, "")) : latex_table(*table);
}

std::string text_block(const Block& block, std::optional<std::size_t> width) {
  if (const auto* const table = std::get_if<Table>(&block))
    return text(*table, width);
  const auto* const paragraph = std::get_if<Paragraph>(&block);
  const std::string lines =
      paragraph != nullptr ? printable(paragraph->lines) : markdown_lines(block, "");
  return width ? paragraphs_within(lines, *width) : lines;
}

std::string csv(const Table& table) {
  const std::vector<std::size_t> columns = csv_columns(table);
  std::string text;
  const auto add_line = [&](const auto& field) {
    for (std::size_t k = 0; k < columns.size(); ++k)
      text += (k == 0 ? "" : ",") + csv_field(field(columns[k]));
    text += "\n";
  };
  add_line([&](std::size_t c) { return table.columns[c].name; });
  for (const auto& row : table.rows)
    add_line([&](std::size_t c) { return c < row.size() ? exact_text(row[c]) : ""; });
  return text;
}

}  // namespace

std::vector<std::string> text_lines(const Table& table, std::optional<std::size_t> width) {
  const Grid grid = grid_of(table);
  std::vector<std::size_t> widths = widths_of(grid);
  if (width)
    shorten_texts(grid.columns, *width - table.indentation, widths);
  std::vector<std::string> lines;
  std::vector<std::size_t> shown;
  std::size_t taken = table.indentation;
  const auto show = [&](std::size_t column) {
    taken += widths[column] + (shown.empty() ? 0 : kGap);
    shown.push_back(column);
  };
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    if (width && shown.size() > table.keys && taken + kGap + widths[i] > *width) {
      add_lines(grid, shown, widths, table.indentation, lines);
      lines.emplace_back();
      shown.clear();
      taken = table.indentation;
      for (std::size_t key = 0; key < table.keys; ++key)
        show(key);
    }
    show(i);
  }
  add_lines(grid, shown, widths, table.indentation, lines);
  return lines;
}

std::string text(const Table& table, std::optional<std::size_t> width) {
  std::string text;
  for (const auto& line : text_lines(table, width))
    text += line + "\n";
  return text;
}

std::string markdown_words(const std::string& text) {
  return markdown_text(printable_word(text), kMarkdownMarks);
}

std::string Document::in(OutputFormat format, std::optional<std::size_t> width) const {
  std::string out;
  // Blank lines separate blocks, except a list from its heading.
  const auto join = [&](std::string (*written)(const Block&, bool)) {
    bool is_headed = false;
    for (const Block& block : blocks) {
      const std::string next = written(block, escapes_markup);
      const bool is_list = std::holds_alternative<List>(block);
      out += (out.empty() || next.empty() || (is_headed && is_list) ? "" : "\n") + next;
      is_headed = std::holds_alternative<Heading>(block);
    }
  };
  switch (format) {
    case OutputFormat::json:
      return json();
    case OutputFormat::csv:
      if (data)
        return csv(*data);
      for (const Block& block : blocks)
        if (const auto* const table = std::get_if<Table>(&block); table && out.empty())
          out = csv(*table);
      break;
    case OutputFormat::markdown:
      join(markdown_block);
      break;
    case OutputFormat::latex:
      join(latex_block);
      break;
    case OutputFormat::text:
    case OutputFormat::junit:
    case OutputFormat::github:
      for (const Block& block : blocks)
        out += text_block(block, width);
      break;
  }
  return out;
}

namespace {

std::string html_cell(const Table& table, const std::vector<Cell>& row, std::size_t c) {
  const Cell& cell = row[c];
  std::string out = escaped_markup(table.text(row, c));
  if (const auto* const number = std::get_if<double>(&cell.value); number && !std::isnan(*number))
    out = element("data", attribute("value", to_text(*number)), out);
  if (cell.style == Cell::Style::doubtful && !out.empty())
    out = element("span", attribute("class", "doubt"), out);
  if (cell.style == Cell::Style::code)
    out = element("code", "", out);
  if (!cell.folded.empty())
    out += element(
        "details", "",
        element("summary", "", "formula") + element("code", "", escaped_markup(cell.folded)));
  return out;
}

std::string html_row(const Table& table, const std::vector<Cell>& row) {
  std::string out;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const bool is_number = table.columns[c].align == Align::right;
    const std::string text = table.text(row, c);  // "8 -> 16" and "8 .. 16" stay in one line
    const bool is_whole =
        text.size() < 28 && (text.find(" -> ") != text.npos || text.find(" .. ") != text.npos);
    out += fmt::format(
        "<{0}{1}{2}{3}>{4}</{0}>", c == 0 ? "th" : "td", c == 0 ? " scope=\"row\"" : "",
        is_number  ? attribute("class", "n")
        : is_whole ? attribute("class", "whole")
                   : "",
        // Label for narrow screens, where cells are stacked: a number needs one, a name does not.
        c == 0 && !is_number ? "" : attribute("data-label", table.columns[c].heading),
        html_cell(table, row, c));
  }
  return "<tr>" + out + "</tr>\n";
}

std::string html_table(const Table& table) {
  if (table.rows.empty())
    return "";
  std::string head;
  for (const Column& column : table.columns)
    head += fmt::format("<th scope=\"col\"{}>{}</th>",
                        column.align == Align::right ? attribute("class", "n") : "",
                        escaped_markup(column.heading));
  std::string body;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    for (const auto& [row, name] : table.groups)
      if (row == r)
        body += fmt::format(
            "{}<tr><th scope=\"rowgroup\" class=\"group\" colspan=\"{}\">{}</th></tr>\n",
            body.empty() ? "" : "</tbody>\n<tbody>\n", table.columns.size(), escaped_markup(name));
    body += html_row(table, table.rows[r]);
  }
  return fmt::format(
      "<div class=\"wide\"><table>\n<caption>{}</caption>\n<thead><tr>{}</tr></thead>\n<tbody>\n"
      "{}</tbody>\n</table></div>\n",
      escaped_markup(table.caption), head, body);
}

std::string html_paragraph(const std::string& text) {
  return text.empty() ? "" : element("p", "", escaped_markup(text)) + "\n";
}

std::string html_answer(const Answer& answer) {
  std::string out = answer.is_alarming ? "<div class=\"card alarm\">" : "<div class=\"card\">";
  out += element("p", attribute("class", "question"), escaped_markup(answer.question)) +
         element("p", attribute("class", "big"), escaped_markup(answer.figure));
  for (const std::string& line : answer.lines)
    out += html_paragraph(line);
  return out + "</div>\n";
}

}  // namespace

std::string html(const Block& block) {
  if (const auto* const heading = std::get_if<Heading>(&block))
    return element("h3", "", escaped_markup(heading->text)) + "\n";
  if (const auto* const paragraph = std::get_if<Paragraph>(&block))
    return html_paragraph(paragraph->lines);
  if (const auto* const list = std::get_if<List>(&block)) {
    std::string out;
    for (const std::string& item : list->items)
      out += element("li", "", escaped_markup(item)) + "\n";
    return out.empty() ? "" : "<ul>\n" + out + "</ul>\n";
  }
  if (const auto* const table = std::get_if<Table>(&block))
    return html_table(*table);
  return html_answer(std::get<Answer>(block));
}

}  // namespace perfmodel::doc
