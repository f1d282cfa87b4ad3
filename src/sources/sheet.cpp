#include "sources/sheet.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "columns/quantities.hpp"
#include "perfmodel/error.hpp"
#include "sources/csv.hpp"
#include "sources/number_marks.hpp"

namespace perfmodel {

bool is_written_number(std::string_view cell) {
  return parse_number(cell) || parse_quantity(cell) || has_number_marks(cell);
}

std::vector<std::string> Sheet::column(std::size_t i, std::size_t first_row) const {
  std::vector<std::string> cells;
  for (std::size_t row = first_row; row < rows.size(); ++row)
    cells.push_back(i < rows[row].width() ? rows[row].cells[i] : "");
  return cells;
}

void Sheet::tell(const std::string& sentence) {
  notices.push_back(fmt::format("{}: {}.", source, sentence));
}

void Sheet::drop(std::size_t begin, std::size_t end, const std::string& what) {
  std::vector<std::string> lines;
  for (std::size_t i = begin; i < end; ++i)
    lines.push_back(
        fmt::format("line {}, {},", rows[i].line, quoted_cell(trimmed(rows[i].text, " "))));
  if (!lines.empty())
    tell(fmt::format("{} {} {} and not read", enumerated(lines, 3),
                     lines.size() == 1 ? "is" : "are", what));
  rows.erase(rows.begin() + index(begin), rows.begin() + index(end));
}

namespace {

using SheetCells = std::vector<std::string>;

SheetRows lines_of(std::string_view bytes) {
  SheetRows rows;
  if (bytes.starts_with("\xEF\xBB\xBF"))
    bytes.remove_prefix(3);
  for (std::size_t line = 1; !bytes.empty(); ++line) {
    const std::string_view text = trimmed(take_line(bytes), "\r\n");
    if (text.find_first_not_of(" \t") != text.npos)
      rows.push_back({line, text});
  }
  return rows;
}

/// The number of cells that most rows have, if that is half of them or more, and at least two;
/// otherwise 0. Of two such numbers, the larger one.
std::size_t usual_width(const SheetRows& rows) {
  std::map<std::size_t, std::size_t> counts;
  for (const SheetRow& row : rows)
    ++counts[row.width()];
  std::pair<std::size_t, std::size_t> best;
  for (const auto& [cells, count] : counts)
    best = std::max(best, {count, cells});
  return best.first >= 2 && 2 * best.first >= rows.size() && best.second >= 2 ? best.second : 0;
}

/// The cells of a line of CSV; none if its quotes are malformed.
SheetCells separated(std::string_view text, char separator) {
  std::string line(text);
  std::vector<std::string_view> fields;
  if (split_fields(line, separator, fields) != FieldsEnd::complete)
    return {};
  return {fields.begin(), fields.end()};
}

/// The cells between bars, without the marks of Markdown for bold text and code.
SheetCells between_bars(std::string_view text) {
  text = trimmed(text, " \t");
  if (text.starts_with('|'))
    text.remove_prefix(1);
  if (text.ends_with('|'))
    text.remove_suffix(1);
  SheetCells cells = separated(text, '|');
  for (std::string& cell : cells)
    for (const std::string_view mark : {"**", "`"})
      if (cell.size() > 2 * mark.size() && cell.starts_with(mark) && cell.ends_with(mark))
        cell = cell.substr(mark.size(), cell.size() - 2 * mark.size());
  return cells;
}

/// The cells between tabs or runs of at least so many blanks.
SheetCells between_blanks(std::string_view text, std::size_t blanks) {
  std::string line(trimmed(text, " \t"));
  for (std::size_t at = 0; (at = line.find(std::string(blanks, ' '), at)) != line.npos; ++at)
    line.replace(at, line.find_first_not_of(" \t", at) - at, "\t");
  return separated(line, '\t');
}

/// Whether a cell is several numbers, so that blanks were too few to separate them.
bool is_several_numbers(const std::string& cell) {
  const SheetCells parts = words_of_line(cell);
  return parts.size() > 1 && !is_written_number(cell) &&
         std::ranges::all_of(parts, is_written_number);
}

/// "|---|:--:|", "+----+----+" and "----+----".
bool is_rule(std::string_view text) {
  text = trimmed(text, " \t");
  return text.find_first_not_of("-+|:= \t") == text.npos && text.find_first_of("|+") != text.npos &&
         (text.starts_with('|') || text.find("--") != text.npos || text.find("==") != text.npos);
}

/// A table is a block of adjacent lines with bars and a rule among them.
bool split_at_bars(Sheet& sheet) {
  std::vector<SheetRows> tables;
  std::size_t last = 0;
  for (const SheetRow& row : sheet.rows) {
    if (row.text.find('|') == row.text.npos && !is_rule(row.text))
      continue;
    if (tables.empty() || row.line != last + 1)
      tables.emplace_back();
    tables.back().push_back({row.line, row.text, between_bars(row.text)});
    last = row.line;
  }
  std::size_t rules = 0;
  std::erase_if(tables, [&](SheetRows& rows) {
    const std::size_t removed =
        std::erase_if(rows, [](const SheetRow& row) { return is_rule(row.text); });
    rules += removed;
    return removed == 0 || rows.size() < 2;
  });
  if (tables.empty())
    return false;
  if (tables.size() > 1)
    throw InputError(
        fmt::format("{}: there are {} tables, from lines {} and {} on; keep one of "
                    "them, or write each to a file of its own",
                    sheet.source, tables.size(), tables[0][0].line, tables[1][0].line));
  sheet.tell(fmt::format("the columns are those between bars, from line {} to {}",
                         tables[0][0].line, tables[0].back().line));
  if (const std::size_t others = sheet.rows.size() - rules - tables[0].size(); others > 0)
    sheet.tell(fmt::format("the {} around the table {} not read", counted_noun(others, "line"),
                           others == 1 ? "is" : "are"));
  sheet.rows = std::move(tables[0]);
  return true;
}

/// The separator of most of the first lines, if they have one.
std::optional<char> separator_in(const SheetRows& rows) {
  constexpr std::size_t most = 50;
  SheetRows first(rows.begin(), rows.begin() + index(std::min(rows.size(), most)));
  const auto support = [&](char separator) {
    for (SheetRow& row : first)
      row.cells = separated(row.text, separator);
    const std::size_t cells = usual_width(first);
    return cells == 0 ? 0 : std::ranges::count(first, cells, &SheetRow::width);
  };
  const char usual = separator_of(fmt::format("{}\n{}\n", rows[0].text, rows[1].text));
  const std::array candidates = {usual, ',', ';', '\t', '|'};
  const char best = *std::ranges::max_element(candidates, {}, support);
  return support(best) > 0 ? std::optional(best) : std::nullopt;
}

bool split_at_separators(Sheet& sheet) {
  if (!sheet.separator)
    sheet.separator = separator_in(sheet.rows);
  for (SheetRow& row : sheet.rows)
    row.cells = separated(row.text, sheet.separator.value_or(','));
  return sheet.separator.has_value();
}

/// Two blanks or more separate, so that "Step Time (ms)" is one name, or else single ones.
bool split_at_blanks(Sheet& sheet) {
  SheetRows& rows = sheet.rows;
  std::string misfit;
  for (const std::size_t blanks : {2U, 1U}) {
    for (SheetRow& row : rows)
      row.cells = between_blanks(row.text, blanks);
    const std::size_t cells = usual_width(rows);
    if (cells == 0)
      continue;
    auto begin = std::ranges::find(rows, cells, &SheetRow::width);
    const auto end = std::ranges::find(rows.rbegin(), rows.rend(), cells, &SheetRow::width).base();
    // Data frames are printed with their index, which has no name.
    if (begin != rows.begin() && begin[-1].width() + 1 == cells &&
        begin[-1].text.starts_with(' ')) {
      --begin;
      begin->cells.insert(begin->cells.begin(), "");
    }
    const bool has_numbers = std::any_of(begin, end, [](const SheetRow& row) {
      return row.numbers() > 0 && !is_written_number(row.text);
    });
    const bool has_names = begin->numbers() == 0;
    if (!has_numbers || (!has_names && begin == rows.begin()))
      continue;
    begin -= has_names ? 0 : 1;
    const auto odd = std::find_if(begin, end, [&](const SheetRow& row) {
      return row.width() != cells || std::ranges::any_of(row.cells, is_several_numbers);
    });
    if (odd == end) {
      const std::size_t titles = to_size(begin - rows.begin());
      sheet.drop(to_size(end - rows.begin()), rows.size(), "notes below the table");
      sheet.drop(0, titles, "titles above the header");
      sheet.tell("the columns are separated by blanks");
      return true;
    }
    if (misfit.empty())
      misfit = fmt::format(
          "{}:{}: the columns seem to be separated by blanks, but not into as many cells here as "
          "in most lines, {}; write two blanks or more between columns, or commas",
          sheet.source, odd->line, cells);
  }
  if (!misfit.empty())
    throw InputError(misfit);
  return false;
}

}  // namespace

std::optional<Sheet> sheet_of_lines(std::string_view bytes, const std::string& source,
                                    std::optional<char> separator) {
  Sheet sheet{source, separator, lines_of(bytes)};
  if (sheet.rows.size() < 2 || sheet.rows[0].text.find('\0') != std::string_view::npos ||
      ((separator || !split_at_bars(sheet)) && !split_at_separators(sheet) &&
       !split_at_blanks(sheet)))
    return std::nullopt;
  sheet.width = usual_width(sheet.rows);
  if (std::ranges::count(sheet.rows, 0U, &SheetRow::width) > 0)
    return std::nullopt;  // malformed quotes
  std::erase_if(sheet.rows, [](const SheetRow& row) { return row.filled() == 0; });
  return sheet.width > 0 && sheet.rows.size() > 1 ? std::optional(std::move(sheet)) : std::nullopt;
}

}  // namespace perfmodel
