#include "sources/written_table.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "columns/column_facts.hpp"
#include "columns/quantities.hpp"
#include "perfmodel/error.hpp"
#include "sources/csv.hpp"
#include "sources/number_marks.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kFirstLines = 50;
constexpr std::size_t kLastLines = 20;
constexpr std::size_t kMostQuoted = 3;
constexpr std::string_view kSeparators = ",;\t|";

using Cells = std::vector<std::string>;

/// A line of the file that is not blank, and its cells.
struct TableRow {
  std::size_t line;  ///< from 1
  std::string_view text;
  Cells cells{};

  std::size_t filled() const {
    return cells.size() - to_size(std::ranges::count(cells, std::string()));
  }
};

using TableRows = std::vector<TableRow>;

std::size_t width(const TableRow& row) {
  return row.cells.size();
}

bool is_number(std::string_view cell) {
  return parse_number(cell) || parse_quantity(cell) || has_number_marks(cell);
}

std::size_t numbers_in(const TableRow& row) {
  return to_size(std::ranges::count_if(row.cells, is_number));
}

/// The lines that are not blank: all of them, or the first and the last ones.
TableRows lines_of(std::string_view bytes, bool is_sample) {
  TableRows rows;
  if (bytes.starts_with("\xEF\xBB\xBF"))
    bytes.remove_prefix(3);
  std::size_t line = 0;
  const auto take_lines = [&](std::size_t most) {
    while (!bytes.empty() && rows.size() < most) {
      const std::string_view text = trimmed(take_line(bytes), "\r\n");
      ++line;
      if (text.find_first_not_of(" \t") != text.npos)
        rows.push_back({line, text});
    }
  };
  take_lines(is_sample ? kFirstLines : std::string_view::npos);
  std::size_t last = bytes.size();
  for (std::size_t i = 0; i <= kLastLines && last != 0 && last != bytes.npos; ++i)
    last = bytes.rfind('\n', last - 1);
  if (last != bytes.npos && last != 0) {
    bytes.remove_prefix(last + 1);
    ++line;  // there is a gap
  }
  take_lines(std::string_view::npos);
  return rows;
}

/// The number of cells that most rows have, if that is half of them or more, and at least two;
/// otherwise 0. Of two such numbers, the larger one.
std::size_t usual_width(const TableRows& rows) {
  std::map<std::size_t, std::size_t> counts;
  for (const TableRow& row : rows)
    ++counts[width(row)];
  std::pair<std::size_t, std::size_t> best;
  for (const auto& [cells, count] : counts)
    best = std::max(best, {count, cells});
  return best.first >= 2 && 2 * best.first >= rows.size() && best.second >= 2 ? best.second : 0;
}

/// The cells of a line of CSV; none if its quotes are malformed.
Cells separated(std::string_view text, char separator) {
  std::string line(text);
  std::vector<std::string_view> fields;
  if (split_fields(line, separator, fields) != FieldsEnd::complete)
    return {};
  return {fields.begin(), fields.end()};
}

/// The separator of CSV, if lines have one.
std::optional<char> find_separator(const TableRows& rows) {
  const char first = separator_of(fmt::format("{}\n{}\n", rows[0].text, rows[1].text));
  const auto support = [&](char separator) {
    TableRows split(rows.begin(), rows.begin() + index(std::min(rows.size(), kFirstLines)));
    for (TableRow& row : split)
      row.cells = separated(row.text, separator);
    const std::size_t usual = usual_width(split);
    return usual == 0 ? 0 : std::ranges::count(split, usual, width);
  };
  const std::size_t cells = separated(rows[0].text, first).size();
  if (cells > 1 && cells == separated(rows[1].text, first).size() && support(first) > 0)
    return first;
  const char best = *std::ranges::max_element(kSeparators, {}, support);
  return support(best) > 0 ? std::optional(best) : std::nullopt;
}

/// "|---|:--:|", "+----+----+" and "----+----".
bool is_rule(std::string_view text) {
  text = trimmed(text, " \t");
  return text.find_first_not_of("-+|:= \t") == text.npos && text.find_first_of("|+") != text.npos &&
         text.find_first_of("-=") != text.npos &&
         (text.starts_with('|') || text.find("--") != text.npos || text.find("==") != text.npos);
}

/// The text without these marks, if they are at both ends.
std::string without_marks(std::string text, std::string_view marks) {
  const std::size_t size = marks.size();
  const bool has_both = text.size() > 2 * size && text.starts_with(marks) && text.ends_with(marks);
  return has_both ? text.substr(size, text.size() - 2 * size) : text;
}

/// The cells between bars, without the marks of Markdown for bold text and code.
Cells between_bars(std::string_view text) {
  text = trimmed(text, " \t");
  if (text.starts_with('|'))
    text.remove_prefix(1);
  if (text.ends_with('|') && !text.ends_with("\\|"))
    text.remove_suffix(1);
  Cells cells(1);
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '|')
      cells.emplace_back();
    else if (text[i] != '\\' || !text.substr(i + 1).starts_with('|'))
      cells.back() += text[i];
    else
      cells.back() += text[++i];
  for (std::string& cell : cells)
    cell = without_marks(without_marks(std::string(trimmed(cell, " \t")), "**"), "`");
  return cells;
}

/// The cells between runs of so many blanks, or tabs. With units, a unit belongs to the number
/// before it.
Cells between_blanks(std::string_view text, std::size_t blanks, bool with_units) {
  Cells cells;
  std::size_t gap = blanks;
  for (const char c : trimmed(text, " \t")) {
    if (c == ' ' || c == '\t') {
      gap += c == '\t' ? blanks : 1;
      continue;
    }
    if (gap >= blanks)
      cells.emplace_back();
    else
      cells.back().append(gap, ' ');
    cells.back() += c;
    gap = 0;
  }
  for (std::size_t i = 1; with_units && i < cells.size(); ++i)
    if (parse_number(cells[i - 1]) && !parse_number(cells[i]) &&
        parse_quantity(cells[i - 1] + " " + cells[i])) {
      cells[i - 1] += " " + cells[i];
      cells.erase(cells.begin() + index(i));
    }
  return cells;
}

/// Whether a cell is several numbers, so that blanks were too few to separate them.
bool is_several_numbers(const std::string& cell) {
  const Cells parts = between_blanks(cell, 1, false);
  return parts.size() > 1 && !is_number(cell) && std::ranges::all_of(parts, is_number);
}

/// A unit without its brackets; empty for a cell that is none. Other words are units in brackets.
std::string unit_in(std::string_view cell) {
  constexpr WordList kOthers{"% # - count text W kW J Hz MHz GHz GB/s MB/s GiB/s it/s"};
  const std::string_view word = trimmed(cell, "[]() ");
  const bool has_brackets = word.size() + 2 <= cell.size() && (cell[0] == '(' || cell[0] == '[');
  const bool is_unit = has_brackets || kOthers.has(word) || word.ends_with("/s") ||
                       parse_quantity("10" + std::string(word));
  return is_unit ? std::string(word) : "";
}

/// The word of a line of totals: "mean" of "Mean:"; empty if it is none.
std::string word_of_total(std::string_view cell) {
  constexpr WordList kTotals{
      "total totals grand_total sum sums subtotal overall average averages avg mean median std "
      "stdev stddev std_dev standard_deviation min minimum max maximum geomean geo_mean "
      "geometric_mean"};
  std::string word = folded(cell);
  std::erase_if(word, [](char c) { return c == ':' || c == '.'; });
  return kTotals.has(word) ? word : "";
}

bool is_near(double a, double b) {
  return std::abs(a - b) <= 0.01 * std::abs(b);
}

/// The steps from the lines of a file to its table.
class TableWriter {
 public:
  TableWriter(std::string_view bytes, const std::string& source, std::optional<char> separator,
              bool is_sample)
      : rows_(lines_of(bytes, is_sample)), source_(source), separator_(separator) {}

  /// False for plain CSV, and for what is unknown.
  bool find_table() {
    if (rows_.size() < 2 || rows_[0].text.find('\0') != std::string_view::npos)
      return false;
    const bool has_bars = !separator_ && split_at_bars();
    is_rewritten_ = has_bars || (!split_at_separators() && split_at_blanks());
    width_ = usual_width(rows_);
    if (width_ == 0 ||
        std::ranges::any_of(rows_, [](const TableRow& row) { return row.cells.empty(); }))
      return false;  // no table, or malformed quotes
    std::erase_if(rows_, [](const TableRow& row) { return row.filled() == 0; });
    if (rows_.size() < 2)
      return false;
    drop_titles();
    pad_header();
    if (rows_.size() < 2 || width(rows_[0]) != width_)
      return is_rewritten_;
    join_headers();
    join_units();
    drop_end();
    name_first_column();
    drop_blank_columns();
    if (!problems_.empty())
      throw InputError(joined(problems_, "\n"));
    return !notices_.empty();
  }

  WrittenTable table(std::string_view bytes) const;

 private:
  bool split_at_bars();
  bool split_at_separators();
  bool split_at_blanks();
  void drop_titles();
  void pad_header();
  void join_headers();
  void join_units();
  void drop_end();
  void name_first_column();
  void drop_blank_columns();

  bool is_header(std::size_t row) const;
  bool is_note(const TableRow& row) const;
  bool is_total(const TableRow& row) const;
  bool is_like_rows_above(std::size_t column, double number, const std::string& word) const;
  bool is_level(const std::string& cell, std::size_t column) const;

  /// Tells that lines, which are `what`, are left out, and removes them.
  void drop(std::size_t begin, std::size_t end, const std::string& what) {
    Cells lines;
    for (std::size_t i = begin; i < end; ++i)
      lines.push_back(
          fmt::format("line {}, {},", rows_[i].line, quoted_cell(trimmed(rows_[i].text, " "))));
    if (!lines.empty())
      tell(fmt::format("{} {} {} and not read", enumerated(lines, kMostQuoted),
                       lines.size() == 1 ? "is" : "are", what));
    rows_.erase(rows_.begin() + index(begin), rows_.begin() + index(end));
  }
  void tell(const std::string& sentence) {
    notices_.push_back(fmt::format("{}: {}.", source_, sentence));
  }

  TableRows rows_;  ///< with the header
  std::string source_;
  std::optional<char> separator_;
  std::size_t width_ = 0;
  bool is_rewritten_ = false;  ///< the cells of all rows are written anew
  Cells notices_;
  Cells problems_;
};

/// A table is a block of adjacent lines with bars and a rule among them.
bool TableWriter::split_at_bars() {
  std::vector<TableRows> tables;
  TableRows block;
  bool has_rule = false;
  std::size_t rules = 0;
  if (std::ranges::none_of(rows_, is_rule, &TableRow::text))
    return false;
  const auto end_block = [&] {
    if (has_rule && block.size() > 1)
      tables.push_back(std::move(block));
    block.clear();
    has_rule = false;
  };
  std::size_t last = 0;
  for (TableRow& row : rows_) {
    const bool rule = is_rule(row.text);
    if (row.line != last + 1 || (!rule && row.text.find('|') == std::string_view::npos))
      end_block();
    last = row.line;
    has_rule |= rule;
    rules += std::size_t{rule};
    if (!rule && row.text.find('|') != std::string_view::npos) {
      row.cells = between_bars(row.text);
      block.push_back(row);
    }
  }
  end_block();
  if (tables.empty())
    return false;
  if (tables.size() > 1)
    throw InputError(
        fmt::format("{}: there are {} tables, from lines {} and {} on; keep one of "
                    "them, or write each to a file of its own",
                    source_, tables.size(), tables[0][0].line, tables[1][0].line));
  tell(fmt::format("the columns are those between bars, from line {} to {}", tables[0][0].line,
                   tables[0].back().line));
  if (const std::size_t others = rows_.size() - rules - tables[0].size(); others > 0)
    tell(fmt::format("the {} around the table {} not read",
                     others == 1 ? "line" : fmt::format("{} lines", others),
                     others == 1 ? "is" : "are"));
  rows_ = std::move(tables[0]);
  return true;
}

bool TableWriter::split_at_separators() {
  if (!separator_)
    separator_ = find_separator(rows_);
  for (TableRow& row : rows_)
    row.cells = separated(row.text, separator_.value_or(','));
  return separator_.has_value();
}

/// Two blanks or more separate, so that "Step Time (ms)" is one name, or else single ones.
bool TableWriter::split_at_blanks() {
  constexpr std::array<std::pair<std::size_t, bool>, 3> kWays = {
      {{2, false}, {1, false}, {1, true}}};
  const TableRow* misfit = nullptr;
  std::size_t usual = 0;
  for (const auto& [blanks, with_units] : kWays) {
    for (TableRow& row : rows_)
      row.cells = between_blanks(row.text, blanks, with_units);
    const std::size_t cells = usual_width(rows_);
    if (cells == 0)
      continue;
    auto begin = std::ranges::find(rows_, cells, width);
    const auto end = std::ranges::find(rows_.rbegin(), rows_.rend(), cells, width).base();
    // Data frames are printed with their index, which has no name.
    if (begin != rows_.begin() && width(*(begin - 1)) + 1 == cells &&
        (begin - 1)->text.starts_with(' ')) {
      --begin;
      begin->cells.insert(begin->cells.begin(), "");
    }
    const auto has_numbers = [](const TableRow& row) {
      return numbers_in(row) > 0 && !is_number(row.text);
    };
    const bool has_header = numbers_in(*begin) == 0;
    if (std::none_of(begin, end, has_numbers) || (!has_header && begin == rows_.begin()))
      continue;
    const auto odd = std::find_if(has_header ? begin : begin - 1, end, [&](const TableRow& row) {
      return width(row) != cells || std::ranges::any_of(row.cells, is_several_numbers);
    });
    if (odd != end) {
      misfit = misfit == nullptr ? &*odd : misfit;
      usual = cells;
      continue;
    }
    const auto first = to_size(begin - rows_.begin());
    drop(to_size(end - rows_.begin()), rows_.size(), "notes below the table");
    drop(0, first, "titles above the header");
    tell("the columns are separated by blanks");
    return true;
  }
  if (misfit != nullptr)
    throw InputError(fmt::format(
        "{}:{}: the columns seem to be separated by blanks, but not into as many cells here as in "
        "most lines, {}; write two blanks or more between columns, or commas",
        source_, misfit->line, usual));
  return false;
}

/// Whether the row may be a header: names, or a name over several columns, above numbers.
bool TableWriter::is_header(std::size_t row) const {
  const auto& header = rows_[row];
  const auto end = rows_.begin() + index(std::min(row + 4, rows_.size()));
  return width(header) == width_ && header.filled() > (header.cells[0].empty() ? 0U : 1U) &&
         numbers_in(header) == 0 &&
         std::any_of(rows_.begin() + index(row), end,
                     [](const TableRow& below) { return numbers_in(below) > 0; });
}

/// Above the header, lines with fewer cells, or with the first cells alone.
void TableWriter::drop_titles() {
  const auto is_above = [&](const TableRow& title, const TableRow& names) {
    const auto blank = std::ranges::find(title.cells, std::string());
    const auto filled = to_size(blank - title.cells.begin());
    return width(title) < width_ || title.text.starts_with('#') ||
           (filled > 0 && filled < width_ && filled == title.filled() && width(names) == width_ &&
            std::all_of(names.cells.begin(), names.cells.begin() + index(filled),
                        [](const std::string& name) { return !name.empty(); }));
  };
  std::size_t titles = 0;
  for (std::size_t next = 0; next + 1 < rows_.size(); ++next) {
    if (!is_above(rows_[next], rows_[next + 1]))
      break;
    if (is_header(next + 1))
      titles = next + 1;
  }
  drop(0, titles, titles == 1 ? "a title above the header" : "titles above the header");
}

/// A separator may end all lines but the header, or the header alone.
void TableWriter::pad_header() {
  Cells& names = rows_[0].cells;
  if (names.size() + 1 == width_ &&
      std::all_of(rows_.begin() + 1, rows_.end(),
                  [](const TableRow& row) { return row.cells.back().empty(); }))
    names.emplace_back();
  if (names.size() == width_ + 1 && names.back().empty()) {
    names.pop_back();
    tell("the header ends in a separator, which the rows do not");
  }
}

/// Names that stand over several columns belong to each of them.
void TableWriter::join_headers() {
  if (rows_.size() < 3)
    return;
  const Cells& upper = rows_[0].cells;
  const Cells& lower = rows_[1].cells;
  const bool has_groups =
      rows_[0].filled() < width_ || std::set(upper.begin(), upper.end()).size() < width_;
  if (!has_groups || lower.size() != width_ || rows_[0].filled() == 0 || numbers_in(rows_[1]) > 0 ||
      numbers_in(rows_[0]) > 0 || rows_[1].filled() < 2 ||
      2 * std::max(numbers_in(rows_[2]),
                   numbers_in(rows_[std::min<std::size_t>(3, rows_.size() - 1)])) <=
          width_)
    return;
  Cells names;
  std::string group;
  for (std::size_t i = 0; i < width_; ++i) {
    if (!upper[i].empty())
      group = lower[i].empty() ? "" : upper[i];
    names.push_back(lower[i].empty() ? upper[i]
                    : group.empty()  ? lower[i]
                                     : group + " " + lower[i]);
  }
  tell(fmt::format("lines {} and {} are one header: {}", rows_[0].line, rows_[1].line,
                   quoted_list(names, kMostQuoted)));
  rows_[0].cells = std::move(names);
  rows_.erase(rows_.begin() + 1);
}

void TableWriter::join_units() {
  if (rows_.size() < 3 || width(rows_[1]) != width_)
    return;
  Cells& names = rows_[0].cells;
  Cells units;
  bool has_unit = false;
  for (std::size_t i = 0; i < width_; ++i) {
    const std::string& cell = rows_[1].cells[i];
    units.push_back(unit_in(cell));
    if (cell.empty())
      continue;
    const bool counts = WordList{"# - count text"}.has(units[i]);
    const auto numbers = std::count_if(rows_.begin() + 2, rows_.end(), [&](const TableRow& row) {
      return i < width(row) && is_number(row.cells[i]);
    });
    if (units[i].empty() || (!counts && 2 * to_size(numbers) < rows_.size() - 2))
      return;
    has_unit |= !counts;
  }
  if (!has_unit)
    return;
  for (std::size_t i = 0; i < width_; ++i) {
    const auto quantity = parse_quantity("10" + units[i]);
    if (!quantity || quantity->unit == "%")
      continue;
    const std::string name = fmt::format("{} ({})", names[i], units[i]);
    const std::string known = unit_of(names[i]);
    if (quantity->unit == "s" && !known.empty() && known != unit_of(name))
      problems_.push_back(fmt::format(
          "{}:{}: the unit below '{}' is {}; correct the name or the unit, or remove line {}",
          source_, rows_[1].line, names[i], units[i], rows_[1].line));
    else if (known.empty() && !contains(name_words(names[i]), folded(units[i])))
      names[i] = name;
  }
  tell(fmt::format("line {} is of units: {}", rows_[1].line, quoted_list(names, kMostQuoted)));
  rows_.erase(rows_.begin() + 1);
}

/// Whether the column has the cell in a row but the last.
bool TableWriter::is_level(const std::string& cell, std::size_t column) const {
  return std::any_of(
      rows_.begin() + 1, rows_.end() - 1,
      [&](const TableRow& row) {
        return column < width(row) && folded(row.cells[column]) == folded(cell);
      });
}

/// Whether a number follows from the column above the last row.
bool TableWriter::is_like_rows_above(std::size_t column, double number,
                                     const std::string& word) const {
  std::vector<double> above;
  for (auto row = rows_.begin() + 1; row + 1 != rows_.end(); ++row)
    if (const auto value = column < width(*row) ? parse_number(row->cells[column]) : std::nullopt)
      above.push_back(*value);
  if (above.size() < 2)
    return false;
  std::ranges::sort(above);
  const double sum = std::accumulate(above.begin(), above.end(), 0.0);
  return is_near(number, sum) || is_near(number, sum / static_cast<double>(above.size())) ||
         (!word.empty() && (is_near(number, above.front()) || is_near(number, above.back()) ||
                            is_near(number, above[above.size() / 2])));
}

/// Whether the last row has the word of a statistic in place of a setting, or is one of what is
/// above it.
bool TableWriter::is_total(const TableRow& row) const {
  if (width(row) != width_ || row.filled() == 0 || numbers_in(row) == 0)
    return false;
  const auto at = std::ranges::find_if(row.cells, [](const auto& cell) { return !cell.empty(); });
  const auto column = to_size(at - row.cells.begin());
  const std::string word = word_of_total(*at);
  bool follows = false;
  for (std::size_t i = 0; i < width_; ++i)
    if (const auto number = parse_number(row.cells[i]))
      follows |= is_like_rows_above(i, *number, word);
  if (word.empty())
    return column > 0 && follows && !is_level("", 0) && numbers_in(row) == row.filled();
  const std::string first = column < width(rows_[1]) ? rows_[1].cells[column] : "";
  const bool is_of_statistics = !word_of_total(first).empty();
  return !is_level(*at, column) && !is_of_statistics &&
         (follows || row.filled() < width_ || column > 0 || is_number(first));
}

/// Whether the last row is a text below the table.
bool TableWriter::is_note(const TableRow& row) const {
  const std::string& text = row.cells[0];
  return (width(row) < width_ || row.filled() == 1) && !text.empty() && !is_number(text) &&
         !is_level(text, 0) &&
         (is_number(rows_[1].cells[0]) || row.text.find(' ') != std::string_view::npos ||
          text.starts_with('#') || text.starts_with('*'));
}

void TableWriter::drop_end() {
  while (rows_.size() > 2) {
    const bool total = is_total(rows_.back());
    if (!total && !is_note(rows_.back()))
      return;
    drop(rows_.size() - 1, rows_.size(),
         total ? "a total of those above" : "a note below the table");
  }
}

void TableWriter::name_first_column() {
  std::string& name = rows_[0].cells[0];
  const bool has_texts = std::all_of(rows_.begin() + 1, rows_.end(), [](const TableRow& row) {
    return !row.cells[0].empty() && !is_number(row.cells[0]);
  });
  if (!name.empty() || !has_texts || contains(rows_[0].cells, "row"))
    return;
  name = "row";
  tell("column 1 has no name and is called 'row'");
}

void TableWriter::drop_blank_columns() {
  Cells blank;
  for (std::size_t i = width_; i-- > 0;) {
    if (!std::ranges::all_of(
            rows_, [&](const TableRow& row) { return i >= width(row) || row.cells[i].empty(); }))
      continue;
    for (TableRow& row : rows_)
      if (i < width(row))
        row.cells.erase(row.cells.begin() + index(i));
    blank.insert(blank.begin(), fmt::format("column {}", i + 1));
  }
  if (blank.empty())
    return;
  tell(fmt::format("{} {} blank and not read", enumerated(blank, kMostQuoted),
                   blank.size() == 1 ? "is" : "are"));
  is_rewritten_ = true;
}

/// Every line of the file, with the rows in theirs.
WrittenTable TableWriter::table(std::string_view bytes) const {
  const bool has_commas = std::ranges::any_of(rows_, [](const TableRow& row) {
    return std::ranges::any_of(row.cells,
                               [](const std::string& cell) { return contains(cell, ','); });
  });
  const char separator = separator_.value_or(has_commas ? ';' : ',');
  WrittenTable out{.csv = {}, .notices = notices_};
  auto row = rows_.begin();
  for (std::size_t line = 1; !bytes.empty(); ++line) {
    take_line(bytes);
    if (row != rows_.end() && row->line == line) {
      const bool is_written = is_rewritten_ || row == rows_.begin();
      for (std::size_t i = 0; is_written && i < width(*row); ++i) {
        // Any other separator is quoted, too, so that this one is recognised.
        const std::string& cell = row->cells[i];
        const std::size_t at = cell.find_first_of(kSeparators);
        if (i > 0)
          out.csv += separator;
        out.csv += csv_field(cell, at == std::string::npos ? separator : cell[at]);
      }
      if (!is_written)
        out.csv += row->text;
      ++row;
    }
    out.csv += '\n';
  }
  return out;
}

}  // namespace

std::optional<WrittenTable> written_table(std::string_view bytes, const std::string& source,
                                          std::optional<char> separator) {
  try {
    if (!TableWriter(bytes, source, separator, true).find_table())
      return std::nullopt;
  } catch (const InputError&) {  // which all lines together confirm, or not
  }
  TableWriter writer(bytes, source, separator, false);
  return writer.find_table() ? std::optional(writer.table(bytes)) : std::nullopt;
}

}  // namespace perfmodel
