#include "sources/sheet.hpp"

#include <fmt/core.h>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "perfmodel/error.hpp"
#include "roles/quantities.hpp"
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

std::size_t Sheet::usual_numbers() const {
  std::vector<std::size_t> numbers = mapped(rows, &SheetRow::numbers);
  std::erase(numbers, 0U);  // of headers and notes
  std::ranges::sort(numbers);
  return numbers.empty() ? 1 : numbers[(numbers.size() - 1) / 2];
}

void Sheet::refuse(const SheetRow& row, const std::string& where) const {
  throw InputError(
      fmt::format("{}:{}: {} is {}, but has as many numbers as the rows; make it a row of the "
                  "table, or remove it",
                  source, row.line, quoted_cell(trimmed(row.text, " ")), where));
}

void Sheet::tell(const std::string& sentence) {
  notices.push_back(fmt::format("{}: {}.", source, sentence));
}

void Sheet::tell_unread(std::span<const SheetRow> unread, const std::string& what) {
  const std::vector<std::string> lines = mapped(unread, [](const SheetRow& row) {
    return fmt::format("line {}, {},", row.line, quoted_cell(trimmed(row.text, " ")));
  });
  if (!lines.empty())
    tell(fmt::format("{} {} {} and not read", enumerated(lines, 3),
                     lines.size() == 1 ? "is" : "are", what));
}

void Sheet::drop(std::size_t begin, std::size_t end, const std::string& what) {
  tell_unread(std::span(rows).subspan(begin, end - begin), what);
  rows.erase(rows.begin() + index(begin), rows.begin() + index(end));
}

namespace {

using SheetCells = std::vector<std::string>;

SheetRows lines_of(std::string_view bytes) {
  SheetRows rows;
  bytes = without_byte_order_mark(bytes);
  for (std::size_t line = 1; !bytes.empty(); ++line) {
    const std::string_view text = trimmed(take_line(bytes), "\r\n");
    if (text.find_first_not_of(" \t") != text.npos)
      rows.push_back({line, std::string(text)});
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

/// The cells between bars.
SheetCells between_bars(std::string_view text) {
  text = trimmed(text, " \t");
  if (text.starts_with('|'))
    text.remove_prefix(1);
  if (text.ends_with('|'))
    text.remove_suffix(1);
  return mapped(separated(text, '|'), without_markup);
}

/// "|---|:--:|", "+----+----+" and "----+----".
bool is_rule(std::string_view text) {
  text = trimmed(text, " \t");
  return text.find_first_not_of("-+|:= \t") == text.npos && text.find_first_of("|+") != text.npos &&
         (text.starts_with('|') || text.starts_with('+') || text.find("--") != text.npos ||
          text.find("==") != text.npos);
}

/// Lines with bars, or of numbers alone, are rows of some table.
void check_around(const Sheet& sheet, const SheetRows& lines) {
  const std::size_t usual = sheet.usual_numbers();
  for (const SheetRow& line : lines) {
    const bool has_bars = contains(line.text, '|');
    const SheetRow row{line.line, line.text,
                       has_bars ? between_bars(line.text) : words_of_line(line.text)};
    if (!contains(mapped(sheet.rows, &SheetRow::line), line.line) && row.numbers() >= usual &&
        (has_bars || row.numbers() == row.width()))
      sheet.refuse(row, "beside the table");
  }
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
  const SheetRows lines = std::exchange(sheet.rows, std::move(tables[0]));
  check_around(sheet, lines);
  if (const std::size_t others = lines.size() - rules - sheet.rows.size(); others > 0)
    sheet.tell(fmt::format("the {} around the table {} not read", counted_noun(others, "line"),
                           others == 1 ? "is" : "are"));
  for (SheetRow& row : sheet.rows)  // rows of Markdown may leave out the last cells
    row.cells.resize(std::max(row.width(), sheet.rows[0].width()));
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

/// "# after a reboot"; "#,ms,GB" is a row of units.
bool is_comment(const SheetRow& row) {
  const std::string_view text = trimmed(row.text, " \t");
  return text.starts_with('#') &&
         (text.size() == 1 || std::string_view(",;|\t").find(text[1]) == text.npos);
}

/// The number of lines right above a row that are its header in comments: names above numbers.
std::size_t header_in_comments(const SheetRows& rows, std::size_t row) {
  constexpr std::size_t most = 3;
  const std::vector<std::string> words = words_of_line(rows[row].text);
  const bool has_numbers = std::ranges::any_of(words, [](const std::string& word) {
    return is_written_number(word.substr(0, word.find_first_of(",;|")));
  });
  std::size_t lines = 0;
  while (has_numbers && lines < std::min(row, most) &&
         (lines == 0 || rows[row - lines - 1].line + 1 == rows[row - lines].line) &&
         rows[row - lines - 1].text.find_first_not_of("# \t") != std::string::npos)
    ++lines;
  return lines;
}

/// Leaves out comments, and takes the mark off those which are the header.
void drop_comments(Sheet& sheet) {
  SheetRows& rows = sheet.rows;
  const auto first = to_size(std::ranges::find_if_not(rows, is_comment) - rows.begin());
  const auto after = std::count_if(rows.begin() + index(first), rows.end(), is_comment);
  if (std::ranges::none_of(rows, is_comment) || first == rows.size() ||
      2 * to_size(after) > rows.size() - first)
    return;  // "#1" may be the name of a run
  const std::size_t header = header_in_comments(rows, first);
  const bool is_plain =  // "#gpus,time" names a count
      first == 1 && header == 1 && rows[0].text.find_first_of(",;\t|") != std::string::npos;
  for (std::size_t i = first - header; i < first && !is_plain; ++i)
    rows[i].text[rows[i].text.find('#')] = ' ';
  const auto begin = rows.begin() + (is_plain ? 1 : 0);
  SheetRows comments;
  std::copy_if(begin, rows.end(), std::back_inserter(comments), is_comment);
  rows.erase(std::remove_if(begin, rows.end(), is_comment), rows.end());
  sheet.tell_unread(comments, comments.size() == 1 ? "a comment" : "comments");
  if (header > 0 && !is_plain)
    sheet.tell(fmt::format("the comment in line {} is the header", rows[header - 1].line));
}

}  // namespace

std::optional<Sheet> sheet_of_lines(std::string_view bytes, const std::string& source,
                                    std::optional<char> separator) {
  Sheet sheet{source, separator, lines_of(bytes)};
  if (sheet.rows.size() < 2 || sheet.rows[0].text.find('\0') != std::string::npos)
    return std::nullopt;
  if (separator || !split_at_bars(sheet)) {
    drop_comments(sheet);
    if (sheet.rows.size() < 2 || (!split_at_separators(sheet) && !split_at_blanks(sheet)))
      return std::nullopt;
  }
  sheet.width = usual_width(sheet.rows);
  if (std::ranges::count(sheet.rows, 0U, &SheetRow::width) > 0)
    return std::nullopt;  // malformed quotes
  std::erase_if(sheet.rows, [](const SheetRow& row) { return row.filled() == 0; });
  return sheet.width > 0 && sheet.rows.size() > 1 ? std::optional(std::move(sheet)) : std::nullopt;
}

}  // namespace perfmodel
