#include "sources/sheet.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "roles/column_facts.hpp"
#include "roles/quantities.hpp"
#include "roles/vocabulary.hpp"

namespace perfmodel {
namespace {

/// Removes what stands between two marks, and these.
void remove_between(std::string& text, std::string_view begin, std::string_view end) {
  for (std::size_t at = 0; (at = text.find(begin, at)) != text.npos;) {
    const std::size_t last = text.find(end, at + begin.size());
    if (last == text.npos)
      return;
    text.erase(at, last + end.size() - at);
  }
}

void remove_all(std::string& text, std::string_view mark) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != text.npos;)
    text.erase(at, mark.size());
}

}  // namespace

std::string without_markup(std::string_view cell) {
  std::string text(cell);
  if (text.find("<") != text.npos && text.find("/") != text.npos) {
    // A tag begins with a letter or a slash; "<5" is a number.
    for (std::size_t at = 0; (at = text.find('<', at)) != text.npos;) {
      const std::size_t last = text.find('>', at);
      const char next = at + 1 < text.size() ? text[at + 1] : ' ';
      if (last == text.npos || !(next == '/' || (next >= 'a' && next <= 'z')))
        ++at;
      else
        text.replace(at, last + 1 - at, " ");
    }
    text = std::string(trimmed(text, " "));
  }
  if (text.find("](") != text.npos) {
    remove_between(text, "](", ")");
    std::erase(text, '[');
  }
  remove_all(text, "**");
  if (text.size() > 2 && text.starts_with('`') && text.ends_with('`'))
    text = text.substr(1, text.size() - 2);
  return text;
}

std::string without_boxes(std::string_view text) {
  constexpr std::string_view verticals = "\u2502\u2503\u2506\u2507\u250a\u250b\u2551";
  constexpr std::string_view horizontals = "\u2500\u2501\u2504\u2505\u2508\u2509\u2550\u254c";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view code = text.substr(at, 3);
    if (!code.starts_with("\xE2\x94") && !code.starts_with("\xE2\x95")) {
      out += text[at++];
      continue;
    }
    out += verticals.find(code) != verticals.npos       ? '|'
           : horizontals.find(code) != horizontals.npos ? '-'
                                                        : '+';
    at += code.size();
  }
  return out;
}

namespace {

/// A number as it is written, and the text behind it.
std::optional<std::pair<std::string, std::string>> number_and_rest(const std::string& cell) {
  const std::size_t digits = cell.find_first_of("0123456789");
  if (digits > 1 || (digits == 1 && cell[0] != '-' && cell[0] != '+'))
    return std::nullopt;
  std::size_t end = std::min(cell.find_first_not_of("0123456789.,'", digits), cell.size());
  std::string number = cell.substr(0, end);
  if (end + 1 < cell.size() && (cell[end] == 'e' || cell[end] == 'E')) {
    const std::size_t last = std::min(cell.find_first_not_of("0123456789", end + 2), cell.size());
    if (parse_number(cell.substr(0, last)))
      number = cell.substr(0, end = last);
  }
  if (!parse_number(number) && !without_group_marks(number))
    return std::nullopt;
  return std::pair(number, std::string(trimmed(std::string_view(cell).substr(end), " ")));
}

/// Whether a text says how far a number may be off: "± 0.3", "+-0.3", "(+/- 2 %)".
bool is_uncertainty(std::string_view text) {
  constexpr std::array<std::string_view, 3> signs = {"\u00b1", "+-", "+/-"};
  text = trimmed(text, "() ");
  for (const std::string_view sign : signs)
    if (text.starts_with(sign) && is_written_number(trimmed(text.substr(sign.size()), " %")))
      return true;
  return false;
}

/// "(default)", "(auto)": but no unit, and not "(failed)".
bool is_remark(std::string_view text) {
  return text.starts_with('(') && text.ends_with(')') &&
         text.find_first_of("0123456789") == text.npos &&
         !parse_quantity("10" + std::string(trimmed(text, "()"))) &&
         !tells_failure(std::string(trimmed(text, "()")));
}

/// The only column with the name of a result.
std::optional<std::size_t> column_of_results(const std::vector<std::string>& names) {
  constexpr WordList results{"score value result measurement"};
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (results.has(folded(names[i])) || (names_time(names[i]) && !has_time_unit(names[i]))) {
      if (found)
        return std::nullopt;
      found = i;
    }
  return found;
}

std::string first_value(const std::vector<std::string>& cells) {
  return *std::ranges::find_if_not(cells, is_missing);
}

}  // namespace

void take_units(Sheet& sheet) {
  static constexpr WordList names{"unit units"};
  std::vector<std::string>& header = sheet.rows[0].cells;
  const auto at =
      std::ranges::find_if(header, [](const std::string& name) { return names.has(folded(name)); });
  const auto of = column_of_results(header);
  if (at == header.end() || !of)
    return;
  const auto column = to_size(at - header.begin());
  const std::vector<std::string> units = sheet.column(column, 1);
  if (sheet.separator || units[0].empty() || is_written_number(units[0]) ||
      std::ranges::count(units, units[0]) != std::ssize(units))
    return;
  sheet.tell(fmt::format("'{}' has the units of '{}'", header[column], header[*of]));
  header[*of] += " (" + units[0] + ")";
  for (SheetRow& row : sheet.rows)
    if (row.cells.size() > column)
      row.cells.erase(row.cells.begin() + index(column));
  --sheet.width;
}

void take_numbers(Sheet& sheet) {
  constexpr std::size_t longest = 16;
  std::vector<std::string> read;
  std::string example;
  for (std::size_t i = 0; i < sheet.width; ++i) {
    std::optional<std::string> word;
    std::vector<std::string> numbers;
    bool is_plain = true;
    for (std::size_t row = 1; row < sheet.rows.size(); ++row) {
      const std::string cell = i < sheet.rows[row].width() ? sheet.rows[row].cells[i] : "";
      if (is_missing(cell)) {
        numbers.push_back(cell);
        continue;
      }
      const auto parts = number_and_rest(cell);
      const bool is_beside = parts && (is_uncertainty(parts->second) || is_remark(parts->second));
      const std::string rest = parts && !is_beside ? parts->second : "";
      is_plain = is_plain && parts && parts->second.empty();
      if (!parts || (word && *word != rest) || rest.size() > longest ||
          (!rest.empty() && (sheet.separator || parse_quantity("10" + rest))) ||
          rest.find_first_of("0123456789:") != rest.npos || rest.starts_with('-')) {
        numbers.clear();
        break;
      }
      word = rest;
      numbers.push_back(parts->first);
    }
    if (numbers.empty() || is_plain || !word)
      continue;
    std::string& name = sheet.rows[0].cells[i];
    read.push_back(name);
    if (example.empty())
      example = first_value(sheet.column(i, 1));
    if (!word->empty() && !folded(name).ends_with(folded("(" + *word + ")")))
      name += " (" + *word + ")";
    for (std::size_t row = 1; row < sheet.rows.size(); ++row)
      if (i < sheet.rows[row].width())
        sheet.rows[row].cells[i] = numbers[row - 1];
  }
  if (!read.empty())
    sheet.tell(fmt::format("of the cells of {}, such as {}, the numbers are read",
                           quoted_list(read, 3), quoted_cell(example)));
}

}  // namespace perfmodel
