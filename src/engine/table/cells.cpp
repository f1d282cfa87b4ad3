#include "table/cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/text.hpp"

namespace perfmodel {
namespace {

constexpr std::string_view kDecimalDigits = "0123456789";

struct UnitOfCells {
  WordList spellings;
  std::string_view unit;  ///< in which values are
  double factor;          ///< a whole number
  int exponent = 0;       ///< of a power of ten, which is added to that of the number: one rounding
};

constexpr std::array kUnits{
    UnitOfCells{{"ns nsec nanosecond nanoseconds"}, "s", 1, -9},
    UnitOfCells{{"us \u00b5s \u03bcs usec microsecond microseconds"}, "s", 1, -6},
    UnitOfCells{{"ms msec millisecond milliseconds"}, "s", 1, -3},
    UnitOfCells{{"s sec secs second seconds"}, "s", 1},
    UnitOfCells{{"m min mins minute minutes"}, "s", 60},
    UnitOfCells{{"h hr hrs hour hours"}, "s", 3600},
    UnitOfCells{{"d day days"}, "s", 86400},
    UnitOfCells{{"byte bytes BYTES B"}, "B", 1},
    UnitOfCells{{"KB kB"}, "B", 1, 3},
    UnitOfCells{{"MB"}, "B", 1, 6},
    UnitOfCells{{"GB"}, "B", 1, 9},
    UnitOfCells{{"TB"}, "B", 1, 12},
    UnitOfCells{{"PB"}, "B", 1, 15},
    UnitOfCells{{"K Ki KiB"}, "B", 0x1p10},
    UnitOfCells{{"M Mi MiB"}, "B", 0x1p20},
    UnitOfCells{{"G Gi GiB"}, "B", 0x1p30},
    UnitOfCells{{"T Ti TiB"}, "B", 0x1p40},
    UnitOfCells{{"P Pi PiB"}, "B", 0x1p50},
    UnitOfCells{{"%"}, "%", 1},
};

/// Removes the longest beginning of these characters from a text.
std::string_view take(std::string_view& rest, std::string_view characters) {
  const std::string_view taken =
      rest.substr(0, std::min(rest.find_first_not_of(characters), rest.size()));
  rest.remove_prefix(taken.size());
  return taken;
}

/// A number as it is written.
struct Decimal {
  std::string digits;  ///< with a point
  double exponent = 0;

  /// The double that is nearest to the decimal number, times the factor of the unit.
  std::optional<double> in(const UnitOfCells& unit) const {
    if (digits.starts_with('.') || std::abs(exponent) > 1000)
      return std::nullopt;
    const auto number =
        parse_number(digits + 'e' + std::to_string(static_cast<int>(exponent) + unit.exponent));
    return number ? std::optional(*number * unit.factor) : std::nullopt;
  }
};

/// Removes the number at the beginning of a text: digits with a point, and an exponent.
Decimal take_number(std::string_view& rest) {
  Decimal number{.digits = std::string(take(rest, "0123456789."))};
  std::string_view after = rest;
  const std::string letter(take(after, "eE"));
  const std::string sign(take(after, "+-"));
  const std::string exponent(take(after, kDecimalDigits));
  if (!letter.empty() && !exponent.empty()) {
    number.exponent =
        letter.size() == 1 ? parse_number(sign + exponent).value_or(HUGE_VAL) : HUGE_VAL;
    rest = after;
  }
  return number;
}

/// "1h 2m 3.5s", "34m09", "16 GB", "72.6%".
std::optional<Quantity> sum_of_units(std::string_view rest) {
  Quantity sum;
  for (const UnitOfCells* last = nullptr; last == nullptr || !rest.empty();) {
    const Decimal number = take_number(rest);
    const bool is_apart = !take(rest, " ").empty();
    const std::string_view word =
        rest.substr(0, std::min(rest.find_first_of(" 0123456789."), rest.size()));
    rest.remove_prefix(word.size());
    take(rest, " ");
    const bool goes_on = last != nullptr;
    // "34m09" and "1h07" end in the next smaller unit.
    const bool is_next = goes_on && word.empty() && rest.empty() && number.digits.size() == 2 &&
                         number.digits[0] < '6' && (last->factor == 60 || last->factor == 3600);
    const auto* const unit =
        is_next ? last - 1 : std::ranges::find_if(kUnits, [&](const UnitOfCells& known) {
          return known.spellings.has(word);
        });
    const auto value = unit == kUnits.end() ? std::nullopt : number.in(*unit);
    if (!value || (goes_on && (unit >= last || last->unit != "s")))
      return std::nullopt;
    sum.value += *value;
    sum.unit = unit->unit;
    const bool is_name = word == "Ti" && is_apart;  // "3090 Ti" is a device
    sum.certain = goes_on || (word.size() > 1 && !is_name) || word == "%" ||
                  (word == "s" && number.digits.size() > 1);
    last = unit;
  }
  return sum;
}

/// "D-HH:MM:SS", "HH:MM:SS" and "MM:SS.f". Without days it may be a time of day.
std::optional<Quantity> clock_time(std::string_view rest) {
  Quantity time{.unit = "s", .certain = false};
  const std::string_view days = rest.substr(0, rest.find('-'));
  if (days.size() < rest.size()) {
    time.certain = true;
    rest.remove_prefix(days.size() + 1);
  }
  std::size_t parts = 0;
  bool has_fraction = false;
  for (bool last = false; !last; ++parts) {
    const std::string_view whole = take(rest, kDecimalDigits);
    if (whole.empty() || (parts > 0 && (whole.size() != 2 || whole[0] > '5')))
      return std::nullopt;
    std::string number(whole);
    if (has_fraction = rest.starts_with('.'); has_fraction)
      number += take(rest, "0123456789.");
    time.value = 60 * time.value + parse_number(number).value_or(NAN);
    last = has_fraction || rest.empty();
    if (number.ends_with('.') || (last ? !rest.empty() : take(rest, ":") != ":"))
      return std::nullopt;
  }
  if (parts != 3 && (parts != 2 || !has_fraction || time.certain))
    return std::nullopt;
  if (time.certain && days.find_first_not_of(kDecimalDigits) == days.npos)
    time.value += 86400 * parse_number(days).value_or(NAN);
  else if (time.certain)
    return std::nullopt;
  return time;
}

/// A column of numbers in one unit in another one of its kind; nullopt if there is nothing to do.
std::optional<Column> in_another_unit(const Column& column, std::string_view wanted) {
  const std::string& unit = unit_beside(column);
  const auto from = parse_quantity("1 " + unit);
  const auto to = parse_quantity("1 " + std::string(wanted));
  if (!from || !to || from->unit != to->unit || from->value == to->value)
    return std::nullopt;
  Column out = column;
  out.unit = to->value == 1 ? wanted : "";
  out.with_unit.clear();
  for (std::size_t row = 0; row < out.numbers.size(); ++row) {
    const std::string cell = column.text(row) + " " + unit;
    if (const auto quantity = parse_quantity(cell)) {
      out.numbers[row] = quantity->value / to->value;
      if (out.with_unit.empty())
        out.with_unit = out.unit.empty() ? std::string(wanted) : cell;
    }
  }
  return out;
}

/// As in_unit(), of a column of texts.
std::optional<Column> texts_in_unit(const Column& column, std::string_view wanted) {
  const auto quantities = mapped(column.levels, quantity_or_zero);
  const auto is_wanted = [&](std::uint32_t code) {
    return quantities[code] && quantities[code]->unit == wanted;
  };
  return std::ranges::any_of(column.codes, is_wanted)
             ? std::optional(numbers_in(column, quantities, wanted))
             : std::nullopt;
}

}  // namespace

bool is_missing(std::string_view cell) {
  constexpr WordList words{
      "na n/a #n/a nan null nil _ __ ___ ? missing unknown \u2013 \u2014"};  // folded
  return cell.empty() || words.has(folded(cell));
}

std::optional<bool> truth_value(std::string_view text) {
  if (text.size() != 4 && text.size() != 5)
    return std::nullopt;
  const std::string word = folded(text);
  if (word == "true")
    return true;
  return word == "false" ? std::optional(false) : std::nullopt;
}

std::optional<Quantity> parse_quantity(std::string_view text) {
  if (text.starts_with('~'))  // "~206 MB"
    text.remove_prefix(1);
  if (text.empty() || kDecimalDigits.find(text.front()) == kDecimalDigits.npos)
    return std::nullopt;
  // "1m:51s" has units, and "1:51:00" none.
  const bool is_clock =
      text.find(':') != text.npos && kDecimalDigits.find(text.back()) != text.npos;
  std::string with_blanks(is_clock ? "" : text);
  std::ranges::replace(with_blanks, ':', ' ');
  const auto quantity = is_clock ? clock_time(text) : sum_of_units(with_blanks);
  return quantity && std::isfinite(quantity->value) ? quantity : std::nullopt;
}

std::optional<Quantity> quantity_or_zero(const std::string& cell) {
  return parse_number(cell) == 0 ? Quantity() : parse_quantity(cell);
}

std::string unit_of_cell(std::string_view cell) {
  cell.remove_prefix(std::min(cell.find_first_not_of("0123456789.eE+- "), cell.size()));
  const auto* const unit = std::ranges::find_if(
      kUnits, [&](const UnitOfCells& known) { return known.spellings.has(cell); });
  if (unit == kUnits.end() || unit->unit != "B")
    return {};
  const std::string_view all = unit->spellings.words;
  return std::string(all.substr(all.rfind(' ') + 1));
}

const std::string& unit_beside(const Column& column) {
  static const std::string none;
  return column.unit.empty() ? column.with_unit : none;
}

std::optional<Column> quantities_as_texts(const Column& column) {
  if (std::ranges::none_of(column.bad_cells, [](const BadCell& cell) {
        return parse_quantity(cell.text).has_value();
      }))
    return std::nullopt;
  Column out;
  out.name = column.name;
  out.kind = Column::Kind::text;
  for (std::size_t row = 0; row < column.numbers.size(); ++row)
    out.levels.push_back(column.text(row));
  out.codes.resize(out.levels.size());
  std::iota(out.codes.begin(), out.codes.end(), std::uint32_t{0});
  return out;
}

Column numbers_in(const Column& column, const std::vector<std::optional<Quantity>>& quantities,
                  std::string_view unit) {
  Column out;
  out.name = column.name;
  out.unit = unit;
  for (const std::uint32_t code : column.codes) {
    const std::optional<Quantity>& cell = quantities[code];
    const bool has_unit = cell && cell->unit == unit;
    if (has_unit && out.with_unit.empty())
      out.with_unit = column.levels[code];
    const bool good = has_unit || (cell && cell->unit.empty());
    if (!good)
      out.bad_cells.push_back({out.numbers.size(), column.levels[code]});
    out.numbers.push_back(good ? cell->value : std::numeric_limits<double>::quiet_NaN());
  }
  return out;
}

std::optional<Column> in_unit(const Column& column, std::string_view wanted) {
  if (!column.unit.empty())
    return std::nullopt;
  if (!column.is_numeric())
    return texts_in_unit(column, wanted);
  if (!unit_beside(column).empty())
    return in_another_unit(column, wanted);
  const auto texts = quantities_as_texts(column);
  return texts ? texts_in_unit(*texts, wanted) : std::nullopt;
}

}  // namespace perfmodel
