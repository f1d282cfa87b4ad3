#include "sources/number_marks.hpp"

#include <fmt/core.h>
#include <algorithm>

#include "base/text.hpp"
#include "roles/column_facts.hpp"
#include "roles/quantities.hpp"
#include "sources/csv.hpp"

namespace perfmodel {
namespace {

constexpr std::string_view kDigits = "0123456789";

/// Marks of thousands that spreadsheets write, and the character that stands for them here.
constexpr std::array<std::pair<std::string_view, char>, 4> kWideMarks = {
    {{"\u00a0", ' '}, {"\u202f", ' '}, {"\u2009", ' '}, {"\u2019", '\''}}};

bool may_be_number(std::string_view cell) {
  return cell.find_first_of("0123456789-+,.") == 0;
}

bool is_digits(std::string_view text) {
  return text.find_first_not_of(kDigits) == text.npos;
}

/// The number at the beginning of a cell and its unit, with the blanks between them; without a unit
/// the whole cell is the number.
std::pair<std::string, std::string> number_and_unit(std::string_view cell) {
  std::string text(cell);
  for (const auto& [wide, plain] : kWideMarks)
    for (std::size_t at = 0; (at = text.find(wide, at)) != text.npos;)
      text.replace(at, wide.size(), 1, plain);
  const std::string_view begin =
      std::string_view(text).substr(0, text.find_first_not_of("0123456789,.'_ "));
  const std::string number(trimmed(begin, " "));
  const std::string unit = text.substr(number.size());
  return begin.empty() || unit.empty() || !parse_quantity("10" + unit) ? std::pair(text, "")
                                                                       : std::pair(number, unit);
}

/// The number that a text is if this is its decimal mark: "1092.9" of "1.092,9" for ','.
std::optional<std::string> number_with(char decimal, std::string text) {
  if (decimal == ',')
    for (char& c : text)
      c = c == ',' ? '.' : c == '.' ? ',' : c;
  if (parse_number(text))
    return text;
  return text.starts_with('0') ? std::nullopt : without_group_marks(text);
}

/// What the cells of a column show.
struct ColumnMarks {
  std::string name;
  std::size_t numbers = 0;
  std::size_t others = 0;
  bool both = false;       ///< a number with a decimal comma and marks of thousands
  bool point = false;      ///< a number that needs the decimal point
  bool whole = false;      ///< a number below 1000
  bool ungrouped = false;  ///< a number from 1000 without marks
  std::string comma{};     ///< the first number with a decimal comma alone
  std::string grouped{};   ///< the first that surely has marks of thousands
  std::string doubtful{};  ///< the first that can be read both ways, and its line
  std::uint32_t line = 0;

  bool is_of_numbers() const { return numbers > others; }
  bool needs_comma() const { return both || !comma.empty(); }
  /// The mark of the doubtful number; '\0' if there is none.
  char mark() const { return doubtful.empty() ? '\0' : doubtful[doubtful.find_first_of(",.")]; }

  void add(std::string_view cell, std::uint32_t at_line);
  std::string question(const std::string& source) const;
};

void ColumnMarks::add(std::string_view cell, std::uint32_t at_line) {
  const auto keep_first = [&](std::string& first) {
    if (first.empty())
      first = cell;
  };
  if (!may_be_number(cell)) {
    others += cell.empty() ? 0U : 1U;
    return;
  }
  const std::string number = number_and_unit(cell).first;
  if (is_digits(number)) {
    ++numbers;
    (number.size() <= 3 ? whole : ungrouped) = true;
    return;
  }
  const auto with_point = number_with('.', number);
  const auto with_comma = number_with(',', number);
  if (!with_point && !with_comma) {
    ++others;
    return;
  }
  ++numbers;
  if (with_point && with_comma && *with_point != *with_comma) {
    line = doubtful.empty() ? at_line : line;
    keep_first(doubtful);
    return;
  }
  const bool is_grouped = (with_comma ? with_comma : with_point)->size() < number.size();
  if (is_grouped)
    keep_first(grouped);
  if (!with_comma)
    point = true;
  else if (!with_point && is_grouped)
    both = true;
  else if (!with_point)
    keep_first(comma);
}

/// "runs.csv:3: column 'n': "1.024" can be 1024 or 1.024; pass --decimal , for 1024, ...".
std::string ColumnMarks::question(const std::string& source) const {
  const std::string number = number_and_unit(doubtful).first;
  const char other = mark() == ',' ? '.' : ',';
  const std::string grouped_number = number_with(other, number).value_or("");
  const std::string decimal_number = number_with(mark(), number).value_or("");
  return fmt::format(
      "{}:{}: column '{}': {} can be {} or {}; pass --decimal {} for {}, or --decimal {} for {}",
      source, line, name, quoted_cell(doubtful), grouped_number, decimal_number, other,
      grouped_number, mark(), decimal_number);
}

std::vector<ColumnMarks> marks_of_columns(char separator, const std::set<std::string>& text_columns,
                                          const EachLine& each_line) {
  std::vector<ColumnMarks> columns;
  std::vector<std::string_view> fields;
  each_line([&](std::span<char> line, std::uint32_t number) {
    if (split_fields(line, separator, fields) != FieldsEnd::complete)
      return;
    const bool is_header = columns.empty();
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (is_header)
        columns.push_back({.name = std::string(fields[i])});
      else if (fields.size() == columns.size() && !text_columns.contains(columns[i].name))
        columns[i].add(fields[i], number);
  });
  return columns;
}

/// Adds examples of a column with this decimal mark to the style.
void add_examples(const ColumnMarks& column, char decimal, CellStyle& style) {
  const bool groups = column.mark() != '\0' && column.mark() != decimal;
  const std::string& grouped = column.grouped.empty() && groups ? column.doubtful : column.grouped;
  const auto [number, unit] = number_and_unit(grouped);
  if (const auto read = number_with(decimal, number); read && !grouped.empty())
    style.thousands.push_back(
        fmt::format("{} of '{}' is {}{}", quoted_cell(grouped), column.name, *read, unit));
  if (decimal == ',' && style.decimal_comma.empty())
    style.decimal_comma = column.comma.empty() && !groups ? column.doubtful : column.comma;
}

/// What the cells of a file show.
struct MarksOfFile {
  std::vector<ColumnMarks> columns;
  bool points = false;  ///< a number needs the decimal point
  bool commas = false;

  bool is_known() const { return points != commas; }
};

MarksOfFile marks_of_file(const MarkedFile& file, const std::set<std::string>& text_columns) {
  const bool separates = file.style.separator == ',';
  MarksOfFile out{marks_of_columns(file.style.separator, text_columns, file.each_line)};
  const auto has = [&](const auto& seen) {
    return std::ranges::any_of(out.columns, [&](const ColumnMarks& column) {
      return column.is_of_numbers() && std::invoke(seen, column);
    });
  };
  out.points = has(&ColumnMarks::point);
  out.commas =
      has(&ColumnMarks::both) || (has(&ColumnMarks::needs_comma) && !(separates && out.points));
  return out;
}

/// Adds what other files of the table tell where this one does not.
void add_evidence(std::span<const MarksOfFile> others, MarksOfFile& file) {
  MarksOfFile all;
  for (const MarksOfFile& other : others) {
    all.points = all.points || other.points;
    all.commas = all.commas || other.commas;
    for (ColumnMarks& column : file.columns)
      for (const ColumnMarks& same : other.columns)
        column.whole = column.whole || (same.name == column.name && same.whole);
  }
  if (!file.is_known() && !file.points && all.is_known()) {
    file.points = all.points;
    file.commas = all.commas;
  }
}

/// How the numbers of a file are read. Throws InputError for columns in doubt.
NumberMarks decided(const MarkedFile& file, MarksOfFile seen, std::span<const MarksOfFile> others) {
  add_evidence(others, seen);
  CellStyle style = file.style;
  if (style.decimal == ',')
    style.decimal_comma = "0,5";
  const bool separates = style.separator == ',';
  const char usual = style.decimal.value_or(seen.commas && !seen.points ? ',' : '.');
  std::vector<char> decimals;
  std::vector<std::string> problems;
  for (const ColumnMarks& column : seen.columns) {
    const char mark = column.mark();
    char decimal = usual;
    if (!column.is_of_numbers() && !style.decimal) {
      decimal = '\0';
    } else if (column.needs_comma() && column.point) {
      decimal = '\0';
      if (!separates || style.decimal)
        problems.push_back(fmt::format(
            "{}: column '{}' has both decimal commas and decimal points; write all numbers in one "
            "of the two ways",
            file.source, column.name));
    } else if (style.decimal || (separates && mark == '.' && !seen.commas)) {
      decimal = usual;
    } else if (column.needs_comma() || column.point) {
      decimal = column.point ? '.' : !separates || column.both || !seen.points ? ',' : '\0';
    } else if (mark != '\0') {
      const bool groups = seen.is_known() && mark != usual;
      const bool counts = column.whole || is_scale_name(column.name);
      decimal = groups ? usual : mark;
      if (groups
              ? column.ungrouped
              : (!seen.is_known() && (mark == ',' || seen.commas)) || (counts && !column.ungrouped))
        problems.push_back(column.question(file.source));
    }
    decimals.push_back(decimal);
    if (decimal != '\0')
      add_examples(column, decimal, style);
  }
  if (!problems.empty())
    throw InputError(joined(problems, "\n"));
  return {std::move(style), std::move(decimals)};
}

}  // namespace

bool has_number_marks(std::string_view cell) {
  if (!may_be_number(cell) || parse_number(cell) || parse_quantity(cell))
    return false;
  const std::string number = number_and_unit(cell).first;
  return number_with('.', number) || number_with(',', number);
}

std::vector<NumberMarks> marks_of_files(std::span<const MarkedFile> files,
                                        const std::set<std::string>& text_columns) {
  const std::vector<MarksOfFile> seen =
      mapped(files, [&](const MarkedFile& file) { return marks_of_file(file, text_columns); });
  std::vector<NumberMarks> out;
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::vector<MarksOfFile> others = seen;
    others.erase(others.begin() + index(i));
    out.push_back(decided(files[i], seen[i], others));
  }
  return out;
}

std::string_view NumberMarks::read(std::size_t field, std::span<char> cell) const {
  const std::string_view text(cell.data(), cell.size());
  const char decimal = field < decimals_.size() ? decimals_[field] : '\0';
  if (decimal == '\0' || !may_be_number(text) || is_digits(text))
    return text;
  const auto [number, unit] = number_and_unit(text);
  const auto read = number_with(decimal, number);
  if (!read || read->size() + unit.size() > text.size())
    return text;
  return text.substr(0, (*read + unit).copy(cell.data(), cell.size()));
}

}  // namespace perfmodel
