#include "sources/number_marks.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "columns/column_facts.hpp"
#include "columns/quantities.hpp"
#include "perfmodel/error.hpp"
#include "sources/csv.hpp"

namespace perfmodel {
namespace {

constexpr std::string_view kMarks = ",.'_ ";

/// Marks of thousands that spreadsheets write, and the character that stands for them here.
constexpr std::array<std::pair<std::string_view, char>, 4> kWideMarks = {
    {{"\u00a0", ' '}, {"\u202f", ' '}, {"\u2009", ' '}, {"\u2019", '\''}}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string with_plain_marks(std::string_view text) {
  std::string out(text);
  for (const auto& [wide, plain] : kWideMarks)
    for (std::size_t at = 0; (at = out.find(wide, at)) != std::string::npos;)
      out.replace(at, wide.size(), 1, plain);
  return out;
}

/// The number at the beginning of a cell and its unit, with the blanks between them; without a unit
/// the whole cell is the number.
std::pair<std::string_view, std::string_view> number_and_unit(std::string_view cell) {
  std::size_t end = 0;
  while (end < cell.size() && (is_digit(cell[end]) || kMarks.find(cell[end]) != kMarks.npos))
    ++end;
  const std::string_view number = trimmed(cell.substr(0, end), " ");
  const std::string_view unit = cell.substr(number.size());
  return end > 0 && end < cell.size() && parse_quantity("10" + std::string(unit))
             ? std::pair(number, unit)
             : std::pair(cell, std::string_view());
}

bool may_have_marks(std::string_view cell) {
  return !cell.empty() && (is_digit(cell[0]) || cell[0] == '-' || cell[0] == '+' ||
                           cell[0] == ',' || cell[0] == '.');
}

}  // namespace

std::optional<std::string> number_with(std::string_view text, char decimal) {
  std::string out(text);
  if (decimal == ',')
    for (char& c : out)
      c = c == ',' ? '.' : c == '.' ? ',' : c;
  if (parse_number(out))
    return out;
  return out.starts_with('0') ? std::nullopt : without_group_marks(out);
}

bool has_number_marks(std::string_view cell) {
  if (!may_have_marks(cell) || parse_number(cell))
    return false;
  const std::string plain = with_plain_marks(cell);
  const std::string_view number = number_and_unit(plain).first;
  return (number.size() < cell.size() ? !parse_quantity(cell) : true) &&
         (number_with(number, '.') || number_with(number, ','));
}

NumberMarks::NumberMarks(std::string_view bytes, const std::string& source,
                         const std::set<std::string>& text_columns, CellStyle style,
                         const LineNumber& number_of)
    : style_(std::move(style)) {
  if (style_.decimal == ',')
    style_.decimal_comma = "0,5";
  std::vector<Evidence> columns;
  std::vector<std::string_view> fields;
  std::string line;
  if (bytes.starts_with("\xEF\xBB\xBF"))
    bytes.remove_prefix(3);
  for (std::uint32_t number = 1; !bytes.empty(); ++number) {
    line = take_line(bytes);
    if (line.ends_with('\r'))
      line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos ||
        split_fields(line, style_.separator, fields) != FieldsEnd::complete)
      continue;
    if (columns.empty()) {
      for (const std::string_view field : fields)
        columns.push_back({.name = std::string(field)});
    } else if (fields.size() == columns.size()) {
      for (std::size_t i = 0; i < fields.size(); ++i)
        if (!text_columns.contains(columns[i].name))
          note(fields[i], number_of(number), columns[i]);
    }
  }
  decide(columns, source);
}

void NumberMarks::note(std::string_view cell, std::uint32_t line, Evidence& column) {
  if (cell.empty())
    return;
  if (!may_have_marks(cell)) {
    ++column.others;
    return;
  }
  const std::string plain = with_plain_marks(cell);
  const std::string text(number_and_unit(plain).first);
  if (std::ranges::all_of(text, is_digit)) {
    ++column.numbers;
    (text.size() <= 3 ? column.whole : column.ungrouped) = true;
    return;
  }
  const auto with_point = number_with(text, '.');
  const auto with_comma = number_with(text, ',');
  ++(with_point || with_comma ? column.numbers : column.others);
  const bool may_be_both = with_point && with_comma && *with_point != *with_comma;
  if (may_be_both && column.doubtful.empty()) {
    column.doubtful = cell;
    column.line = line;
  }
  const auto& read = with_comma ? with_comma : with_point;
  const bool is_grouped = read && !may_be_both && read->size() < text.size();
  if (is_grouped && column.grouped.empty())
    column.grouped = cell;
  if (with_comma && !with_point) {
    column.comma = true;
    column.both |= is_grouped;
    if (!is_grouped && column.with_comma.empty())
      column.with_comma = cell;
  } else if (with_point && !with_comma) {
    column.point = true;
  }
}

/// "runs.csv:3: column 'n': "1.024" can be 1024 or 1.024; pass --decimal , for 1024, ...".
std::string NumberMarks::question(const Evidence& column, const std::string& source) {
  const std::string text = with_plain_marks(column.doubtful);
  const std::string_view number = number_and_unit(text).first;
  const char mark = column.mark();
  const char other = mark == ',' ? '.' : ',';
  const std::string whole = number_with(number, other).value_or("");
  const std::string decimal = number_with(number, mark).value_or("");
  return fmt::format(
      "{}:{}: column '{}': {} can be {} or {}; pass --decimal {} for {}, or --decimal {} for {}",
      source, column.line, column.name, quoted_cell(column.doubtful), whole, decimal, other, whole,
      mark, decimal);
}

void NumberMarks::decide(const std::vector<Evidence>& columns, const std::string& source) {
  const bool separates = style_.separator == ',';
  const auto in_file = [&](bool Evidence::*seen) {
    return std::ranges::any_of(
        columns, [&](const Evidence& column) { return column.is_of_numbers() && column.*seen; });
  };
  const bool points = in_file(&Evidence::point);
  const bool commas =
      in_file(&Evidence::both) || (in_file(&Evidence::comma) && !(separates && points));
  std::vector<std::string> problems;
  for (const Evidence& column : columns) {
    char decimal = style_.decimal.value_or(commas && !points ? ',' : '.');
    const char mark = column.mark();
    const bool counts = column.whole || is_scale_name(column.name);
    if (!column.is_of_numbers() && !style_.decimal) {
      decimal = '\0';
    } else if (column.comma && column.point) {
      decimal = '\0';
      if (!separates || style_.decimal)
        problems.push_back(fmt::format(
            "{}: column '{}' has both decimal commas and decimal points; write all numbers in one "
            "of the two ways",
            source, column.name));
    } else if (!style_.decimal && (column.comma || column.point)) {
      decimal = column.point ? '.' : !separates || column.both || !points ? ',' : '\0';
    } else if (!style_.decimal && mark != '\0' && !(separates && mark == '.' && !commas)) {
      const bool is_known = points != commas;
      const bool groups = is_known && mark != decimal;
      const bool unsure = !is_known && (separates || (mark == '.' && commas));
      if (groups ? column.ungrouped
                 : (separates && unsure) || (!column.ungrouped && (counts || unsure)))
        problems.push_back(question(column, source));
      if (!groups)
        decimal = mark;
    }
    decimals_.push_back(decimal);
    tell(column, decimal);
  }
  if (!problems.empty())
    throw InputError(joined(problems, "\n"));
}

/// Adds examples of the column to the style.
void NumberMarks::tell(const Evidence& column, char decimal) {
  if (decimal == '\0')
    return;
  const bool groups = column.mark() != '\0' && column.mark() != decimal;
  const std::string& grouped = column.grouped.empty() && groups ? column.doubtful : column.grouped;
  const std::string plain = with_plain_marks(grouped);
  const auto [number, unit] = number_and_unit(plain);
  if (const auto read = number_with(number, decimal); read && !grouped.empty())
    style_.thousands.push_back(
        fmt::format("{} of '{}' is {}{}", quoted_cell(grouped), column.name, *read, unit));
  if (decimal == ',' && style_.decimal_comma.empty())
    style_.decimal_comma =
        column.with_comma.empty() && !groups ? column.doubtful : column.with_comma;
}

std::string_view NumberMarks::read(std::size_t field, std::span<char> cell) const {
  const std::string_view text(cell.data(), cell.size());
  const char decimal = field < decimals_.size() ? decimals_[field] : '\0';
  if (decimal == '\0' || !may_have_marks(text) || std::ranges::all_of(text, is_digit))
    return text;
  const std::string plain = with_plain_marks(text);
  const auto [number, unit] = number_and_unit(plain);
  auto out = number_with(number, decimal);
  if (!out || out->size() + unit.size() > text.size())
    return text;
  *out += unit;
  return text.substr(0, out->copy(cell.data(), cell.size()));
}

}  // namespace perfmodel
