#include "sources/written_table.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "perfmodel/reading.hpp"
#include "roles/column_facts.hpp"
#include "roles/quantities.hpp"
#include "sources/sheet.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  ///< larger files are no work of people
constexpr std::size_t kMostQuoted = 3;

using SheetCells = std::vector<std::string>;

bool is_empty(std::string_view cell) {
  return cell.empty();
}

/// Whether a row may be a header: names above numbers.
bool is_header(const Sheet& sheet, std::size_t row) {
  const auto begin = sheet.rows.begin() + index(row);
  const auto end = begin + std::min<std::ptrdiff_t>(4, sheet.rows.end() - begin);
  return begin->width() == sheet.width && begin->filled() > (begin->cells[0].empty() ? 0U : 1U) &&
         begin->numbers() == 0 &&
         std::any_of(begin, end, [](const SheetRow& below) { return below.numbers() > 0; });
}

/// Above the header, lines with fewer cells, or with the first cells alone.
void drop_titles(Sheet& sheet) {
  const auto is_title = [&](const SheetRow& row) {
    return row.width() < sheet.width || row.text.starts_with('#') ||
           (!row.cells[0].empty() && row.cells.back().empty() &&
            std::ranges::is_partitioned(row.cells, std::not_fn(is_empty)));
  };
  std::size_t titles = 0;
  for (std::size_t i = 0; i + 1 < sheet.rows.size() && is_title(sheet.rows[i]); ++i)
    if (is_header(sheet, i + 1) && sheet.rows[i].filled() <= sheet.rows[i + 1].filled())
      titles = i + 1;  // else the next line may be of units
  for (std::size_t i = 0; i < titles; ++i)
    if (sheet.rows[i].numbers() >= sheet.usual_numbers())
      sheet.refuse(sheet.rows[i], "above the header");
  sheet.drop(0, titles, titles == 1 ? "a title above the header" : "titles above the header");
}

/// A separator may end all lines but the header, or the header alone.
void pad_header(Sheet& sheet) {
  SheetCells& names = sheet.rows[0].cells;
  if (names.size() + 1 == sheet.width &&
      std::ranges::all_of(sheet.column(names.size(), 1), is_empty))
    names.emplace_back();
  if (names.size() == sheet.width + 1 && names.back().empty()) {
    names.pop_back();
    sheet.tell("the header ends in a separator, which the rows do not");
  }
}

/// The second row is a part of the header, whose names become these.
void join_second_row(Sheet& sheet, const std::string& what, SheetCells names) {
  sheet.tell(fmt::format("{}: {}", what, quoted_list(names, kMostQuoted)));
  sheet.rows[0].cells = std::move(names);
  sheet.rows.erase(sheet.rows.begin() + 1);
}

/// Names that stand over several columns belong to each of them.
void join_headers(Sheet& sheet) {
  const auto has_numbers = [&](std::size_t row) {
    return row < sheet.rows.size() && 2 * sheet.rows[row].numbers() > sheet.width;
  };
  if (!is_header(sheet, 1) || (!has_numbers(2) && !has_numbers(3)))
    return;
  const SheetRow& upper = sheet.rows[0];
  const SheetRow& lower = sheet.rows[1];
  SheetCells names;
  std::string group;
  bool has_groups = false;
  for (std::size_t i = 0; i < sheet.width; ++i) {
    const std::string& above = upper.cells[i];
    const std::string& below = lower.cells[i];
    if (!above.empty())
      group = below.empty() ? "" : above;
    names.push_back(below.empty() ? above : group.empty() ? below : group + " " + below);
    has_groups |= !below.empty() && (above.empty() || std::ranges::count(upper.cells, above) > 1);
  }
  if (has_groups)
    join_second_row(sheet, fmt::format("lines {} and {} are one header", upper.line, lower.line),
                    std::move(names));
}

constexpr WordList kNoUnits{"# - count text"};

/// A unit without its brackets; empty for a cell that is none. Other words are units in brackets.
std::string unit_in(std::string_view cell) {
  constexpr WordList kOthers{"% W kW J Hz MHz GHz"};
  const std::string word(trimmed(cell, "[]() "));
  const bool has_brackets = word.size() + 2 <= cell.size() && (cell[0] == '(' || cell[0] == '[');
  return has_brackets || kOthers.has(word) || kNoUnits.has(word) || word.ends_with("/s") ||
                 parse_quantity("10" + word)
             ? word
             : "";
}

/// The name of a column with the unit of its times or memory, unless it has that.
std::string name_with_unit(const std::string& name, const std::string& unit) {
  const auto quantity = parse_quantity("10" + unit);
  const std::string out = fmt::format("{} ({})", name, unit);
  return quantity && quantity->unit != "%" && !contains(name_words(name), folded(unit)) &&
                 (unit_of(name).empty() || unit_of(name) != unit_of(out))
             ? out
             : name;
}

/// Below the header, units of columns of numbers.
void join_units(Sheet& sheet) {
  if (sheet.rows.size() < 3 || sheet.rows[1].width() != sheet.width)
    return;
  const SheetRow& row = sheet.rows[1];
  SheetCells names = sheet.rows[0].cells;
  bool has_unit = false;
  for (std::size_t i = 0; i < sheet.width; ++i) {
    const std::string unit = unit_in(row.cells[i]);
    const bool is_of_numbers = !kNoUnits.has(unit) && !unit.empty();
    SheetCells below = sheet.column(i, 2);
    std::erase_if(below, tells_failure);
    if ((unit.empty() && !row.cells[i].empty()) ||
        (is_of_numbers &&
         2 * to_size(std::ranges::count_if(below, is_written_number)) < below.size()))
      return;
    has_unit |= is_of_numbers;
    names[i] = name_with_unit(names[i], unit);
  }
  if (has_unit)
    join_second_row(sheet, fmt::format("line {} is of units", row.line), std::move(names));
}

/// Whether the last cell of a column also stands above it.
bool is_level(const Sheet& sheet, std::size_t column) {
  SheetCells cells = mapped(sheet.column(column, 1), folded);
  const std::string last = std::exchange(cells.back(), "");
  cells.pop_back();
  return contains(cells, last);
}

/// The number of a cell and the place of its last digit, both in the unit of the cell.
struct WrittenNumber {
  double value;
  double last_digit;
};

std::optional<WrittenNumber> number_in(std::string text, char decimal) {
  if (decimal == ',')
    for (char& c : text)
      c = c == ',' ? '.' : c == '.' ? ',' : c;
  const auto quantity = parse_quantity(text);
  const std::string digits = text.substr(0, text.find_first_not_of("+-0123456789.,' "));
  const std::string plain(trimmed(digits, " "));
  const auto number = parse_number(without_group_marks(plain).value_or(plain));
  const auto value = quantity                       ? std::optional(quantity->value)
                     : digits.size() == text.size() ? number
                                                    : parse_number(text);
  if (!value || !number)
    return std::nullopt;
  const std::size_t point = plain.find('.');
  const std::size_t decimals = point == plain.npos ? 0 : plain.size() - point - 1;
  const double scale = *number == 0 ? 1 : *value / *number;  // of a unit or an exponent
  const bool has_parts = quantity && text.find_first_of("0123456789", digits.size()) != text.npos;
  return WrittenNumber{*value,
                       has_parts ? 0 : scale * std::pow(10, -static_cast<double>(decimals))};
}

/// What a row of totals may have of the numbers above: one of these in all columns. The first ones
/// are extremes, and the next is the sum.
constexpr std::size_t kExtremes = 2;
constexpr std::size_t kSum = 2;
constexpr std::size_t kStatistics = 8;

std::vector<double> statistics_of(std::vector<double> numbers) {
  const auto n = static_cast<double>(numbers.size());
  std::ranges::sort(numbers);
  double sum = 0;
  double sum_of_logarithms = 0;
  for (const double x : numbers) {
    sum += x;
    sum_of_logarithms += std::log(x);
  }
  double squares = 0;
  for (const double x : numbers)
    squares += (x - sum / n) * (x - sum / n);
  const std::size_t half = numbers.size() / 2;
  const double median = (numbers[half] + numbers[numbers.size() - 1 - half]) / 2;
  return {numbers.front(),
          numbers.back(),
          sum,
          sum / n,
          median,
          std::exp(sum_of_logarithms / n),
          std::sqrt(squares / n),
          std::sqrt(squares / (n - 1))};
}

/// Whether a cell may be a statistic of the numbers above, as far as its digits tell, and whether
/// hardly any other cell could.
struct CellEvidence {
  bool fits = false;
  bool tells = false;
};

/// Per statistic; empty if the cell, or the cells above, are no numbers.
std::vector<CellEvidence> evidence_of(const std::string& cell, const SheetCells& above,
                                      char decimal) {
  constexpr double share = 1. / 16;
  std::vector<double> numbers;
  double last_digit = 0;
  for (const std::string& text : above)
    if (const auto number = number_in(text, decimal)) {
      numbers.push_back(number->value);
      last_digit = std::max(last_digit, number->last_digit);
    }
  const auto number = number_in(cell, decimal);
  std::vector<CellEvidence> out;
  if (!number || numbers.size() < 2)
    return out;
  const double range = std::ranges::max(numbers) - std::ranges::min(numbers);
  const double of_sum = (last_digit < 1 ? last_digit : 0) *  // counts are exact
                        std::sqrt(static_cast<double>(numbers.size()));
  for (const double statistic : statistics_of(numbers)) {
    const bool is_sum = out.size() == kSum;
    const bool is_cut = !is_sum || number->last_digit > last_digit;
    const double digits = out.size() < kExtremes || !is_cut ? 0 : number->last_digit / 2;
    const double of_above = out.size() < kExtremes ? 0 : is_sum ? of_sum : of_sum / 2;
    const double difference = std::abs(statistic - number->value) - 1e-9 * std::abs(statistic);
    out.push_back({difference <= digits + of_above,
                   difference <= digits && digits < share * (is_sum ? statistic : range)});
  }
  return out;
}

/// Whether a row has a label and, in every column of numbers, the same statistic of the rows before
/// `end`. In a column of texts the label may be a level, unless no number is lacking and two
/// columns tell; extremes tell nothing if a run above has them.
bool is_total(const Sheet& sheet, std::size_t at, std::size_t end, char decimal) {
  const SheetRow& row = sheet.rows[at];
  const auto label = to_size(std::ranges::find_if_not(row.cells, is_empty) - row.cells.begin());
  if (row.width() != sheet.width || is_written_number(row.cells[label]))
    return false;
  std::vector<bool> fits(kStatistics, true);
  std::vector<std::size_t> telling(kStatistics);
  std::size_t cells = 0;
  bool may_be_level = true;
  bool lacks = false;
  for (std::size_t i = 0; i < sheet.width; ++i) {
    SheetCells above = sheet.column(i, 1);
    above.resize(end - 1);
    if (i == label && contains(above, row.cells[i]))
      return false;
    const auto written = to_size(std::ranges::count_if(above, is_written_number));
    if (2 * written <= to_size(std::ranges::count_if(above, std::not_fn(is_missing))))
      continue;
    may_be_level = may_be_level && i != label;
    lacks |= is_missing(row.cells[i]);
    if (i == label || is_missing(row.cells[i]))
      continue;
    const std::vector<CellEvidence> evidence = evidence_of(row.cells[i], above, decimal);
    cells += 1;
    for (std::size_t k = 0; k < kStatistics; ++k) {
      fits[k] = fits[k] && !evidence.empty() && evidence[k].fits;
      telling[k] += !evidence.empty() && evidence[k].tells ? 1U : 0U;
    }
  }
  const bool is_run = std::any_of(
      sheet.rows.begin() + 1, sheet.rows.begin() + index(end),
      [&](const SheetRow& other) {
        return std::ranges::equal(other.cells.begin() + index(label) + 1, other.cells.end(),
                                  row.cells.begin() + index(label) + 1, row.cells.end());
      });
  return cells > 0 && !(may_be_level && lacks) &&
         std::ranges::any_of(indices(kStatistics), [&](std::size_t k) {
           return fits[k] && telling[k] >= (may_be_level ? 2U : 0U) &&
                  (k >= kExtremes || !may_be_level || !is_run);
         });
}

/// The number of rows of totals at the end.
std::size_t totals_in(const Sheet& sheet) {
  constexpr std::size_t most = 8;
  const std::size_t rows = sheet.rows.size();
  for (std::size_t totals = std::min(most, rows - std::min<std::size_t>(rows, 3)); totals > 0;
       --totals)
    for (const char decimal : {'.', ','})
      if (std::ranges::all_of(indices(totals), [&](std::size_t i) {
            return is_total(sheet, rows - 1 - i, rows - totals, decimal);
          }))
        return totals;
  return 0;
}

/// Whether the last row is a text below the table.
bool is_note(const Sheet& sheet) {
  const SheetRow& row = sheet.rows.back();
  const std::string& text = row.cells[0];
  return (row.width() < sheet.width || row.filled() == 1) && !text.empty() &&
         !is_written_number(text) && row.numbers() < sheet.usual_numbers() && !is_level(sheet, 0) &&
         (is_written_number(sheet.rows[1].cells[0]) || row.text.find(' ') != row.text.npos ||
          text.starts_with('#') || text.starts_with('*'));
}

void drop_end(Sheet& sheet) {
  const auto drop_last = [&](const std::string& what) {
    sheet.drop(sheet.rows.size() - 1, sheet.rows.size(), what);
  };
  while (sheet.rows.size() > 2 && is_note(sheet))
    drop_last("a note below the table");
  for (std::size_t totals = totals_in(sheet); totals > 0; --totals)
    drop_last("a total of those above");
}

void name_first_column(Sheet& sheet) {
  std::string& name = sheet.rows[0].cells[0];
  const auto is_text = [](const std::string& cell) {
    return !cell.empty() && !is_written_number(cell);
  };
  if (!name.empty() || contains(sheet.rows[0].cells, "row") ||
      !std::ranges::all_of(sheet.column(0, 1), is_text))
    return;
  name = "row";
  sheet.tell("column 1 has no name and is called 'row'");
}

void drop_empty_columns(Sheet& sheet) {
  SheetCells empty;
  for (std::size_t i = sheet.width; i-- > 0;) {
    if (!std::ranges::all_of(sheet.column(i, 0), is_empty))
      continue;
    for (SheetRow& row : sheet.rows)
      if (i < row.width())
        row.cells.erase(row.cells.begin() + index(i));
    empty.insert(empty.begin(), fmt::format("column {}", i + 1));
  }
  if (!empty.empty())
    sheet.tell(fmt::format("{} {} blank and not read", enumerated(empty, kMostQuoted),
                           empty.size() == 1 ? "is" : "are"));
}

/// Files that were appended to have their header again.
void drop_repeated_headers(Sheet& sheet) {
  SheetRows repeated;
  for (std::size_t i = 1; i < sheet.rows.size(); ++i)
    if (sheet.rows[i].cells == sheet.rows[0].cells)
      repeated.push_back(sheet.rows[i]);
  const std::vector<std::string> header = sheet.rows[0].cells;
  std::erase_if(sheet.rows, [&](const SheetRow& row) {
    return row.line != sheet.rows[0].line && row.cells == header;
  });
  sheet.tell_unread(repeated, repeated.size() == 1 ? "a repeated header" : "repeated headers");
}

/// Below the header, types of columns, as databases and data frames print them.
void drop_types(Sheet& sheet) {
  static constexpr WordList types{
      "i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
      "float32 float64 float double int integer bigint long string str varchar text object cat "
      "bool boolean date timestamp enum"};
  if (std::ranges::all_of(sheet.rows[1].cells,
                          [](const std::string& cell) { return types.has(folded(cell)); }))
    sheet.drop(1, 2, "a line of types");
}

/// Whether blank cells of a column of texts are merged with the one above: no two of its texts that
/// follow each other are alike, and a quarter of the cells are blank.
bool is_merged(const SheetCells& cells) {
  const auto blanks = to_size(std::ranges::count(cells, std::string()));
  SheetCells texts;
  std::ranges::copy_if(cells, std::back_inserter(texts), std::not_fn(is_empty));
  return !cells[0].empty() && 4 * blanks >= cells.size() && texts.size() > 1 &&
         std::ranges::none_of(texts, is_written_number) &&
         std::ranges::adjacent_find(texts) == texts.end();
}

/// The first columns may name what the rows below have in common; in CSV they may be remarks.
void fill_merged_cells(Sheet& sheet) {
  if (sheet.separator)
    return;
  for (std::size_t i = 0; i < sheet.width && is_merged(sheet.column(i, 1)); ++i) {
    std::string above;
    for (std::size_t row = 1; row < sheet.rows.size(); ++row) {
      std::vector<std::string>& cells = sheet.rows[row].cells;
      if (i < cells.size())
        above = cells[i] = cells[i].empty() ? above : cells[i];
    }
    sheet.tell(fmt::format("the blank cells of '{}' have the text above", sheet.rows[0].cells[i]));
  }
}

/// "x" and "x (2)" of two columns with the name "x".
void number_equal_names(Sheet& sheet) {
  SheetCells& header = sheet.rows[0].cells;
  std::map<std::string, std::size_t> counts;
  SheetCells changed;
  for (std::string& name : header)
    if (const std::size_t count = ++counts[name]; count > 1 && !name.empty())
      changed.push_back(name += fmt::format(" ({})", count));
  if (!changed.empty())
    sheet.tell(fmt::format("a name that stands twice gets a number: {}", quoted_list(changed)));
}

/// A table with a scale along its header, "ranks,1,2,4", and quantities as rows stands on its side.
void turn(Sheet& sheet) {
  constexpr std::size_t fewest = 4;
  const SheetCells header = sheet.rows[0].cells;
  std::vector<double> scale;
  for (std::size_t i = 1; i < header.size(); ++i)
    scale.push_back(parse_number(header[i]).value_or(scale.empty() ? 0 : scale.back()));
  const SheetCells names = sheet.column(0, 1);
  if (header.size() < fewest || scale[0] <= 0 ||
      std::ranges::adjacent_find(scale, std::greater_equal()) != scale.end() ||
      std::ranges::any_of(names, is_empty) || std::ranges::any_of(names, is_written_number) ||
      2 * sheet.usual_numbers() < header.size())
    return;
  SheetRows turned;
  for (std::size_t i = 0; i < header.size(); ++i)
    turned.push_back({i + 1, sheet.rows[0].text, sheet.column(i, 0)});
  sheet.rows = std::move(turned);
  sheet.width = sheet.rows[0].width();
  sheet.tell("the table stands on its side and is turned; lines are those of the turned one");
}

/// What may be done, in this order, where the header has a name per column.
constexpr std::array kRepairs = {drop_repeated_headers,
                                 drop_types,
                                 join_units,
                                 join_headers,
                                 join_units,
                                 drop_end,
                                 name_first_column,
                                 drop_empty_columns,
                                 fill_merged_cells,
                                 take_units,
                                 take_numbers,
                                 number_equal_names,
                                 turn};

/// Every line of the file, with the rows in theirs.
std::string csv_of(const Sheet& sheet) {
  const bool has_commas =
      std::ranges::any_of(sheet.rows, [](const SheetRow& row) { return contains(row.text, ','); });
  const char separator = sheet.separator.value_or(has_commas ? ';' : ',');
  std::string out;
  std::size_t line = 1;
  for (const SheetRow& row : sheet.rows) {
    for (; line < row.line; ++line)
      out += '\n';
    for (std::size_t i = 0; i < row.width(); ++i) {
      // Any other separator is quoted, too, so that this one is recognised.
      const std::size_t at = row.cells[i].find_first_of(",;\t|");
      out += i == 0 ? "" : std::string(1, separator);
      out += csv_field(row.cells[i], at == std::string::npos ? separator : row.cells[i][at]);
    }
    out += '\n';
    ++line;
  }
  return out;
}

}  // namespace

std::optional<WrittenTable> written_table(std::string_view bytes, const std::string& source,
                                          std::optional<char> separator) {
  if (bytes.size() > kMostBytes)
    return std::nullopt;
  std::string text = without_boxes(bytes);
  const bool has_returns = !contains(text, '\n') && contains(text, '\r');
  if (has_returns)  // of old Macintosh files
    std::ranges::replace(text, '\r', '\n');
  auto sheet = sheet_of_lines(text, source, separator);
  if (!sheet)
    return std::nullopt;
  if (has_returns)
    sheet->tell("the lines end in carriage returns");
  drop_titles(*sheet);
  pad_header(*sheet);
  for (const auto repair : kRepairs)
    if (sheet->rows.size() > 1 && sheet->rows[0].width() == sheet->width)
      repair(*sheet);
  return sheet->notices.empty() ? std::nullopt
                                : std::optional(WrittenTable{csv_of(*sheet), sheet->notices});
}

}  // namespace perfmodel
