#include "io/csv/cell_style.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.hpp"

namespace perfmodel {
namespace {

constexpr std::array kSeparators = {',', ';', '\t', '|'};

std::string_view trimmed(std::string_view cell, std::string_view blanks) {
  const auto begin = cell.find_first_not_of(blanks);
  return begin == cell.npos ? std::string_view()
                            : cell.substr(begin, cell.find_last_not_of(blanks) + 1 - begin);
}

/// The next line that is not blank, without its end; `rest` begins behind it.
std::string_view next_line(std::string_view& rest) {
  std::string_view line;
  while (trimmed(line, " \t\r\n").empty() && !rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return line;
}

/// Separators outside of quotes.
std::size_t separators_in(std::string_view line, char separator) {
  std::size_t count = 0;
  bool quoted = false;
  for (const char c : line)
    if (c == '"')
      quoted = !quoted;
    else if (c == separator && !quoted)
      ++count;
  return count;
}

char separator_of(std::string_view bytes) {
  const std::string_view header = next_line(bytes);
  const std::string_view row = next_line(bytes);
  char only = ',';
  std::size_t candidates = 0;
  for (const char separator : kSeparators) {
    const std::size_t count = separators_in(header, separator);
    if (count == 0)
      continue;
    if (separators_in(row, separator) == count)
      return separator;
    only = separator;
    ++candidates;
  }
  return candidates == 1 ? only : ',';
}

/// "1,024": also how some write a thousand.
bool may_be_thousands(std::string_view cell) {
  const auto comma = cell.find(',');
  const std::string_view whole = cell.substr(0, comma);
  return cell.size() == comma + 4 && whole.size() <= 3 && !whole.starts_with('0') &&
         cell.find_first_not_of("0123456789,") == cell.npos;
}

/// Looks at every cell; those that quotes or damage tear apart decide nothing.
std::string find_decimal_comma(std::string_view bytes, char separator) {
  std::string example;
  bool surely = false;
  bool has_points = false;
  next_line(bytes);  // the header
  while (!bytes.empty() && !surely) {
    const std::array<char, 2> ends = {separator, '\n'};
    const auto end = std::min(bytes.find_first_of({ends.data(), ends.size()}), bytes.size());
    const std::string_view cell = trimmed(bytes.substr(0, end), " \t\r\"");
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (cell.find(',') != cell.npos && is_comma_number(cell)) {
      surely = !may_be_thousands(cell);
      if (example.empty() || surely)
        example = cell;
    } else if (cell.find('.') != cell.npos && parse_number(cell)) {
      has_points = true;
    }
  }
  return surely || !has_points ? example : "";
}

}  // namespace

bool is_comma_number(std::string_view cell) {
  const auto comma = cell.find(',');
  if (comma == cell.npos || cell.find('.') != cell.npos)
    return false;
  std::string number(cell);
  number[comma] = '.';
  return parse_number(number).has_value();
}

CellStyle recognise_style(std::string_view bytes, std::optional<char> separator) {
  CellStyle style;
  style.separator = separator ? *separator : separator_of(bytes);
  if (style.separator != ',')
    style.decimal_comma = find_decimal_comma(bytes, style.separator);
  return style;
}

}  // namespace perfmodel
