#include "table/quantities.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/table.hpp"
#include "table/column_facts.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kDimensions = 3;
constexpr std::string_view kDigits = "0123456789";

struct Unit {
  WordList spellings;
  Dimension dimension;
  double factor;
  double divisor = 1;  ///< of a unit below the canonical one: a division rounds once
};

constexpr double kKibi = 1024;

constexpr std::array kUnits{
    Unit{{"ns nsec nanosecond nanoseconds"}, Dimension::time, 1, 1e9},
    Unit{{"us \u00b5s \u03bcs usec microsecond microseconds"}, Dimension::time, 1, 1e6},
    Unit{{"ms msec millisecond milliseconds"}, Dimension::time, 1, 1e3},
    Unit{{"s sec secs second seconds"}, Dimension::time, 1},
    Unit{{"m min mins minute minutes"}, Dimension::time, 60},
    Unit{{"h hr hrs hour hours"}, Dimension::time, 3600},
    Unit{{"d day days"}, Dimension::time, 86400},
    Unit{{"B byte bytes"}, Dimension::memory, 1},
    Unit{{"kB KB"}, Dimension::memory, 1e3},
    Unit{{"MB"}, Dimension::memory, 1e6},
    Unit{{"GB"}, Dimension::memory, 1e9},
    Unit{{"TB"}, Dimension::memory, 1e12},
    Unit{{"PB"}, Dimension::memory, 1e15},
    Unit{{"K Ki KiB"}, Dimension::memory, kKibi},
    Unit{{"M Mi MiB"}, Dimension::memory, kKibi* kKibi},
    Unit{{"G Gi GiB"}, Dimension::memory, kKibi* kKibi* kKibi},
    Unit{{"T Ti TiB"}, Dimension::memory, kKibi* kKibi* kKibi* kKibi},
    Unit{{"P Pi PiB"}, Dimension::memory, kKibi* kKibi* kKibi* kKibi* kKibi},
    Unit{{"%"}, Dimension::share, 1},
};

/// Removes the number, digits with at most one point, at the beginning of a text. nullopt if there
/// is none.
std::optional<double> take_number(std::string_view& rest) {
  const std::size_t end = std::min(rest.find_first_not_of("0123456789."), rest.size());
  const std::string_view number = rest.substr(0, end);
  if (number.empty() || number.front() == '.')
    return std::nullopt;
  rest.remove_prefix(end);
  return parse_number(number);
}

void skip_blanks(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
}

/// "1h 2m 3.5s", "16 GB", "72.6%".
std::optional<Quantity> sum_of_units(std::string_view rest) {
  Quantity sum;
  const Unit* last = nullptr;
  std::size_t parts = 0;
  while (!rest.empty()) {
    const std::string_view before = rest;
    const auto number = take_number(rest);
    if (!number)
      return std::nullopt;
    const bool has_fraction = before.substr(0, before.size() - rest.size()).find('.') != rest.npos;
    skip_blanks(rest);
    const std::size_t end = std::min(rest.find_first_of(" 0123456789."), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end);
    skip_blanks(rest);
    const auto* const unit =
        std::ranges::find_if(kUnits, [&](const Unit& known) { return known.spellings.has(word); });
    if (unit == kUnits.end() ||
        (last != nullptr && (unit->dimension != Dimension::time ||
                             last->dimension != Dimension::time || unit >= last)))
      return std::nullopt;
    sum.value += *number * unit->factor / unit->divisor;
    sum.dimension = unit->dimension;
    sum.certain = parts > 0 || word == "%" || word.size() > 1 || (word == "s" && has_fraction);
    last = unit;
    ++parts;
  }
  return parts > 0 ? std::optional(sum) : std::nullopt;
}

/// Two digits below 60.
std::optional<double> sixtieth(std::string_view text) {
  if (text.size() != 2 || text.find_first_not_of(kDigits) != text.npos || text[0] > '5')
    return std::nullopt;
  return parse_number(text);
}

std::optional<double> whole_number(std::string_view text) {
  return text.empty() || text.find_first_not_of(kDigits) != text.npos ? std::nullopt
                                                                      : parse_number(text);
}

/// "D-HH:MM:SS", "HH:MM:SS" and "MM:SS.f".
std::optional<Quantity> clock_time(std::string_view text) {
  std::optional<double> days;
  if (const std::size_t dash = text.find('-'); dash != text.npos) {
    days = whole_number(text.substr(0, dash));
    text.remove_prefix(dash + 1);
    if (!days)
      return std::nullopt;
  }
  const std::size_t last = text.rfind(':');
  if (last == text.npos)
    return std::nullopt;
  const std::string_view seconds_text = text.substr(last + 1);
  const std::size_t point = std::min(seconds_text.find('.'), seconds_text.size());
  const bool has_fraction = point + 1 < seconds_text.size();
  const std::size_t first = text.find(':');
  const bool has_hours = first != last;
  const auto hours = has_hours ? whole_number(text.substr(0, first)) : 0;
  const std::string_view minutes_text =
      has_hours ? text.substr(first + 1, last - first - 1) : text.substr(0, last);
  const auto minutes = has_hours ? sixtieth(minutes_text) : whole_number(minutes_text);
  if ((!has_hours && (!has_fraction || days)) || !hours || !minutes ||
      !sixtieth(seconds_text.substr(0, point)) ||
      (point < seconds_text.size() &&
       (!has_fraction || !whole_number(seconds_text.substr(point + 1)))))
    return std::nullopt;
  // "12:30:00.123" may still be a time of day.
  return Quantity{
      86400 * days.value_or(0) + 3600 * *hours + 60 * *minutes + *parse_number(seconds_text),
      Dimension::time, days.has_value()};
}

// Words of names of columns, besides those that has_time_unit() and is_time_name() recognise.
constexpr WordList kTimes{"time elapsed duration wall latency delay timeout"};
constexpr WordList kMemories{
    "mem memory ram vram hbm rss vsz vms uss pss vmem swap cache disk bytes"};
constexpr WordList kPointsInTime{
    "start started begin end ended finish finished stop submit submitted eligible at date day "
    "clock "
    "timestamp created arrival"};

/// True if the name of a column denotes the dimension: "Elapsed", "h:m:s", "ReqMem", "peak_rss".
bool denotes(const std::string& name, Dimension dimension) {
  const std::vector<std::string> words = name_words(name);
  if (dimension == Dimension::memory)
    return std::ranges::any_of(words, [](std::string_view word) {
      return kMemories.has(word) || word.ends_with("rss") || word.ends_with("mem") ||
             word.ends_with("memory") || word.ends_with("bytes");
    });
  if (kPointsInTime.has_one_of(words))
    return false;
  return is_time_name(name) || has_time_unit(name) || name == "h:m:s" || name == "s" ||
         std::ranges::any_of(words, [](std::string_view word) {
           return kTimes.has(word) || word.ends_with("time") || word.starts_with("time");
         });
}

std::size_t place(Dimension dimension) {
  return static_cast<std::size_t>(dimension);
}

/// The distinct texts of a column as quantities: its levels, or the bad cells among its numbers.
class QuantityTexts {
 public:
  explicit QuantityTexts(const Column& column) : column_(column) {
    for (const BadCell& cell : column.bad_cells)
      add(cell.text);
    for (const std::string& level : column.levels)
      add(level);
    rows_.assign(quantities_.size(), column.is_numeric() ? 1 : 0);
    if (has_quantities())
      for (const std::uint32_t code : column.codes)
        ++rows_[code];
  }

  /// The dimension of most cells; nullopt if most are no quantities.
  std::optional<Dimension> dimension() const {
    if (!has_quantities())
      return std::nullopt;
    std::array<bool, kDimensions> certain{};
    std::array<std::size_t, kDimensions> cells{};
    auto zeros = static_cast<std::size_t>(std::ranges::count(column_.numbers, 0));
    for (std::size_t i = 0; i < quantities_.size(); ++i) {
      zeros += zero_[i] ? rows_[i] : 0;
      if (!quantities_[i])
        continue;
      cells[place(quantities_[i]->dimension)] += rows_[i];
      certain[place(quantities_[i]->dimension)] |= quantities_[i]->certain;
    }
    const auto most = to_size(std::ranges::max_element(cells) - cells.begin());
    const std::size_t rows = std::max(column_.numbers.size(), column_.codes.size());
    const auto dimension = static_cast<Dimension>(most);
    if (2 * (cells[most] + zeros) <= rows || (!certain[most] && !denotes(column_.name, dimension)))
      return std::nullopt;
    return dimension;
  }

  /// The column as numbers in the unit of a dimension.
  Column converted(Dimension dimension) const;

 private:
  void add(const std::string& text) {
    quantities_.push_back(parse_quantity(text));
    zero_.push_back(parse_number(text) == 0);
  }

  bool has_quantities() const {
    return std::ranges::any_of(
        quantities_, [](const auto& quantity) { return quantity.has_value(); });
  }

  const Column& column_;
  std::vector<std::optional<Quantity>> quantities_;
  std::vector<bool> zero_;         ///< whether it is a plain 0
  std::vector<std::size_t> rows_;  ///< how many have the text
};

Column QuantityTexts::converted(Dimension dimension) const {
  Column out;
  out.name = column_.name;
  out.unit = unit_of(dimension);
  const auto add_bad = [&](std::string cell) {
    out.bad_cells.push_back({out.numbers.size(), std::move(cell)});
    out.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
  };
  const auto add = [&](std::size_t text, const std::string& cell) {
    const std::optional<Quantity>& quantity = quantities_[text];
    if (quantity && quantity->dimension == dimension) {
      out.numbers.push_back(quantity->value);
      if (out.with_unit.empty())
        out.with_unit = cell;
    } else if (zero_[text]) {
      out.numbers.push_back(0);
    } else {
      add_bad(cell);
    }
  };
  std::size_t bad = 0;
  for (std::size_t row = 0; row < column_.numbers.size(); ++row) {
    if (bad < column_.bad_cells.size() && column_.bad_cells[bad].row == row) {
      add(bad, column_.bad_cells[bad].text);
      ++bad;
    } else if (column_.numbers[row] == 0) {
      out.numbers.push_back(0);
    } else {
      add_bad(column_.text(row));
    }
  }
  for (const std::uint32_t code : column_.codes)
    add(code, column_.levels[code]);
  return out;
}

}  // namespace

std::string unit_of(Dimension dimension) {
  constexpr std::array<const char*, kDimensions> units{"s", "B", "%"};
  return units[place(dimension)];
}

std::optional<Quantity> parse_quantity(std::string_view text) {
  if (text.empty() || kDigits.find(text.front()) == kDigits.npos)
    return std::nullopt;
  return text.find(':') == text.npos ? sum_of_units(text) : clock_time(text);
}

void convert_quantities(Table& table, const std::set<std::string>& text_columns) {
  for (Column& column : table.columns) {
    if (text_columns.contains(column.name) || !column.unit.empty())
      continue;
    const QuantityTexts texts(column);
    if (const auto dimension = texts.dimension())
      column = texts.converted(*dimension);
  }
}

}  // namespace perfmodel
