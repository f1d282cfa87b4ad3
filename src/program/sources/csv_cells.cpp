#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "base/text.hpp"
#include "sources/csv.hpp"

namespace perfmodel {
namespace {

constexpr std::array kSeparators = {',', ';', '\t', '|'};

/// Returns the next line that is not blank, without its line end, and removes it from `rest`.
std::string_view next_line(std::string_view& rest) {
  std::string_view line;
  while (trimmed(line, " \t\r\n").empty() && !rest.empty())
    line = take_line(rest);
  return line;
}

/// Number of separators outside of quotes.
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

bool is_blank(char c, char separator) {
  return c == ' ' || (c == '\t' && separator != '\t');
}

char* skip_blanks(char* at, const char* end, char separator) {
  while (at != end && is_blank(*at, separator))
    ++at;
  return at;
}

std::string_view view(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Returns the field from `at` to the next separator, without trailing blanks. Moves `at` to the
/// separator or the end.
std::string_view plain_field(char*& at, const char* end, char separator) {
  const char* const begin = at;
  while (at != end && *at != separator)
    ++at;
  const char* last = at;
  while (last != begin && is_blank(last[-1], separator))
    --last;
  return view(begin, last);
}

/// Returns the field from the character after an opening quote. Moves `at` after the closing quote,
/// or to null if there is none.
std::string_view quoted_field(char*& at, const char* end) {
  const char* const begin = at;
  char* write = at;
  for (; at != end; ++at) {
    if (*at == '"') {
      ++at;
      if (at == end || *at != '"')
        return view(begin, write);
    }
    *write++ = *at;
  }
  at = nullptr;
  return {};
}

}  // namespace

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

namespace {

/// The digits after the point; without bound if there is an exponent.
std::size_t decimals_from(std::string_view cell, std::size_t point) {
  const std::size_t end = std::min(cell.find_first_not_of("0123456789", point + 1), cell.size());
  return end == cell.size() ? end - point - 1 : cell.npos;
}

}  // namespace

ColumnBuilder::ColumnBuilder(std::string name, Kind kind)
    : undecided_(kind == Kind::first_cell_decides) {
  column_.name = std::move(name);
  column_.kind = Column::Kind::text;
}

void ColumnBuilder::add(std::string_view cell) {
  if (undecided_) {
    undecided_ = false;
    column_.kind = parse_number(cell) ? Column::Kind::numeric : Column::Kind::text;
  }
  if (column_.is_numeric())
    add_number(cell);
  else
    add_text(cell);
  ++rows_;
}

void ColumnBuilder::add_number(std::string_view cell) {
  if (const auto number = parse_number(cell)) {
    column_.numbers.push_back(*number);
    if (const std::size_t point = cell.find('.'); point != cell.npos)
      decimals_ = std::max(decimals_, decimals_from(cell, point));
    else if (*number == 0)
      bare_zero_ = true;
  } else {
    column_.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    column_.bad_cells.push_back({rows_, std::string(cell)});
  }
}

Column ColumnBuilder::take() && {
  constexpr std::size_t most = std::numeric_limits<double>::max_digits10;
  const bool drops_zeros = decimals_ > 0 && bare_zero_;  // so that digits tell nothing
  if (column_.is_numeric() && decimals_ <= most && !drops_zeros)
    column_.last_digit = std::pow(10.0, -static_cast<double>(decimals_));
  return std::move(column_);
}

void ColumnBuilder::add_text(std::string_view cell) {
  new_level_ = false;
  // Files contain blocks of runs with equal settings, so that most cells repeat the one above.
  if (!column_.codes.empty() && column_.levels[column_.codes.back()] == cell) {
    column_.codes.push_back(column_.codes.back());
    return;
  }
  column_.codes.push_back(
      levels_.number_of(std::hash<std::string_view>{}(cell),
                        [&](std::uint32_t code) { return column_.levels[code] == cell; }));
  new_level_ = levels_.size() > column_.levels.size();
  if (new_level_)
    column_.levels.emplace_back(cell);
}

std::string_view without_byte_order_mark(std::string_view bytes) {
  return bytes.substr(bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0);
}

std::string_view take_csv_line(std::string_view& text) {
  const std::string_view line = take_line(text);
  return line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0));
}

FieldsEnd split_fields(std::span<char> line, char separator,
                       std::vector<std::string_view>& fields) {
  fields.clear();
  char* at = line.data();
  const char* const end = at + line.size();
  for (;;) {
    at = skip_blanks(at, end, separator);
    if (at != end && *at == '"') {
      fields.push_back(quoted_field(++at, end));
      if (at == nullptr)
        return FieldsEnd::open_quote;
      at = skip_blanks(at, end, separator);
      if (at != end && *at != separator)
        return FieldsEnd::text_after_quote;
    } else {
      fields.push_back(plain_field(at, end, separator));
    }
    if (at == end)
      return FieldsEnd::complete;
    ++at;  // the separator; at the end of a line, another blank field follows it
  }
}

}  // namespace perfmodel
