#include "roles/unit_columns.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>

#include "columns/design.hpp"
#include "columns/spec.hpp"
#include "roles/left_out.hpp"
#include "roles/quantities.hpp"
#include "roles/roles.hpp"
#include "roles/vocabulary.hpp"

namespace perfmodel {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kRate = "/s";

/// What a cell of a column of units says: "ms", "[MB]", "us/op", "ops/ms".
struct UnitWord {
  std::string word;  ///< as parse_quantity() knows it; of a rate, the whole text
  std::string kind;  ///< "s", "B", "s/" and "B/" of an operation, a rate, or "?" and the text
  double size = 0;   ///< in that kind

  bool is_rate() const { return kind.ends_with(kRate); }
  bool is_unknown() const { return kind.starts_with('?'); }
  bool is_same(const UnitWord& other) const { return kind == other.kind && size == other.size; }
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

/// "Milliseconds", "MS" and "gb" as parse_quantity() knows them.
std::optional<std::pair<std::string, Quantity>> known_unit(std::string_view text) {
  if (text.find_first_of("0123456789.: ") != text.npos)
    return std::nullopt;
  std::string memory = lower(text);
  if (memory == text && memory.size() > 1 && memory.ends_with('b')) {
    memory.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(memory.front())));
    memory.back() = 'B';
  }
  for (const std::string& word : {std::string(text), lower(text), memory})
    if (const auto one = parse_quantity("1 " + word); one && one->unit != "%")
      return std::pair(word, *one);
  return std::nullopt;
}

/// nullopt for a text that is no unit of times, memory or rates.
std::optional<UnitWord> unit_word(std::string_view cell) {
  std::string text(trimmed(cell, "[](). "));
  if (const std::size_t per = text.find(" per "); per != text.npos)
    text.replace(per, 5, "/");
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view thing = std::string_view(text).substr(std::min(slash + 1, text.size()));
  const auto unit = known_unit(trimmed(std::string_view(text).substr(0, slash), " "));
  const auto per = known_unit(trimmed(thing, " "));
  if (per && per->second.unit == "s")
    return UnitWord{text, lower(text.substr(0, slash)) + std::string(kRate), 1 / per->second.value};
  return unit ? std::optional(UnitWord{unit->first,
                                       std::string(unit->second.unit) + (thing.empty() ? "" : "/"),
                                       unit->second.value})
              : std::nullopt;
}

bool is_named_unit(std::string_view name) {
  constexpr WordList names{
      "unit units uom einheit einheiten unidad unidades unite unites unita eenheid enhet "
      "jednostka"};
  if (name.ends_with("\u5355\u4f4d") || name.ends_with("\u5358\u4f4d"))
    return true;
  return std::ranges::any_of(name_words(name), [&](const std::string& word) {
    return names.has(word) || word.ends_with("einheit");
  });
}

/// A column that has the units of others.
struct UnitColumn {
  const Column* column;
  std::vector<std::optional<UnitWord>> units;  ///< of its levels
  bool is_named = false;                       ///< as a column of units
  bool is_doubtful = false;                    ///< its levels may be lengths of time: "hour", "day"
};

/// Levels are units by the name of the column or by those among them that are nothing else: "ms".
std::optional<UnitColumn> unit_column(const Column& column) {
  constexpr WordList lengths{"second minute minutes min mins hour hours hr hrs day days"};
  UnitColumn out{&column, mapped(column.levels, unit_word), is_named_unit(column.name)};
  std::size_t unknown = 0;
  std::size_t words = 0;
  std::vector<UnitWord> units;
  std::vector<UnitWord> certain;
  for (std::size_t i = 0; i < column.levels.size(); ++i) {
    auto& unit = out.units[i];
    if (!unit && !is_missing(column.levels[i])) {
      ++unknown;
      unit = UnitWord{column.levels[i], "?" + column.levels[i]};
    }
    if (!unit || unit->is_unknown())
      continue;
    const auto add = [&](std::vector<UnitWord>& to) {
      if (std::ranges::none_of(to, [&](const UnitWord& known) { return known.is_same(*unit); }))
        to.push_back(*unit);
    };
    const bool is_letter = unit->word.size() < 2;
    words += is_letter ? 0U : 1U;
    add(units);
    if (out.is_named ? !is_letter || unit->word == "s" || unit->word == "h"
                     : !is_letter && !lengths.has(unit->word))
      add(certain);
  }
  if (out.is_named)
    return !certain.empty() && units.size() >= unknown ? std::optional(out) : std::nullopt;
  out.is_doubtful = certain.empty();
  const bool are_units =
      units.size() > 1 && (unknown == 0 ? !certain.empty() || words > 0 : certain.size() > 1);
  return are_units ? std::optional(out) : std::nullopt;
}

bool is_of_numbers(const Column& column) {
  if (column.is_numeric())
    return 2 * column.bad_cells.size() < column.numbers.size();
  const auto numbers = std::ranges::count_if(
      column.levels, [](const std::string& level) { return parse_number(level).has_value(); });
  const auto missing = std::ranges::count_if(column.levels, is_missing);
  return numbers > 0 && 2 * (numbers + missing) > std::ssize(column.levels);
}

constexpr WordList kWordsOfResult{"score value result measurement"};

/// The words of a name without those that are not its quantity: "score" of "Score Error (99.9%)";
/// none of "mean".
Words words_without_statistics(std::string_view name) {
  constexpr WordList others{"var sum final last percent pct measured aux"};
  constexpr WordList errors{"error err dev 0 %"};
  static const Kinds statistics = kind_mask("stat centre max min");
  Words words = name_parts(name).words;
  std::erase_if(words, [&](const std::string& word) {
    return others.has(word) || (kinds_of(word) & statistics) != 0;
  });
  while (words.size() > 1 && errors.has(words.back()))
    words.pop_back();
  return words;
}

/// Whether a column of units may be those of this one, which has none in its name.
bool may_have_units(const Column& column) {
  constexpr WordList without{"pct percent cv rel relative ratio speedup variance index"};
  const Words words = name_words(column.name);
  const bool is_point_in_time = !denotes(column.name, "s") && !words.empty() &&
                                words.back().ends_with("time") && words.back() != "time";
  return column.unit.empty() && column.formula.empty() && is_of_numbers(column) &&
         !is_scale_name(column.name) && !has_time_unit(column.name) && !without.has_one_of(words) &&
         !is_point_in_time &&
         !(words.size() > 1 && (kinds_of(words.back()) & kind_mask("byteunit")) != 0);
}

bool is_result_of(const std::string& name, const UnitColumn& units) {
  const Words words = words_without_statistics(name);
  if (std::ranges::all_of(words, [](const std::string& word) { return kWordsOfResult.has(word); }))
    return true;
  return std::ranges::any_of(units.units, [&](const std::optional<UnitWord>& unit) {
    return !unit || unit->is_unknown()   ? false
           : unit->is_rate()             ? measure_of(name, "") == Measure::rate
           : unit->kind.starts_with('s') ? names_time(name) || denotes(name, "s")
                                         : denotes(name, "B");
  });
}

/// The columns whose units these may be; if they are not, `clear` is false.
struct Described {
  std::vector<std::size_t> columns;
  bool clear = true;
};

/// Those that the column of units names: "real_time" beside "time_unit".
std::vector<std::size_t> named_after(const UnitColumn& units, std::span<const std::size_t> all,
                                     const Table& table) {
  Words name = name_words(units.column->name);
  std::erase_if(name, [](const std::string& word) { return is_named_unit(word); });
  std::vector<std::size_t> out;
  for (const std::size_t i : all) {
    Words words = words_without_statistics(table.columns[i].name);
    while (words.size() > name.size() && kWordsOfResult.has(words.back()))
      words.pop_back();
    if (!name.empty() && words.size() >= name.size() &&
        std::equal(name.rbegin(), name.rend(), words.rbegin()))
      out.push_back(i);
  }
  return out;
}

Described columns_with_units(const UnitColumn& units, bool is_only, const Table& table,
                             const std::set<std::string>& texts) {
  const auto at = to_size(units.column - table.columns.data());
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (i != at && !texts.contains(table.columns[i].name) && may_have_units(table.columns[i]))
      all.push_back(i);
  if (auto named = named_after(units, all, table); !named.empty())
    return {std::move(named), !units.is_doubtful};
  std::vector<std::size_t> results;
  std::ranges::copy_if(all, std::back_inserter(results),
                       [&](std::size_t i) { return is_result_of(table.columns[i].name, units); });
  const std::vector<std::size_t>& among = results.empty() && !units.is_doubtful ? all : results;
  std::set<Words> quantities;
  for (const std::size_t i : among)
    quantities.insert(words_without_statistics(table.columns[i].name));
  if (!is_only && at > 0 && contains(among, at - 1))
    quantities = {words_without_statistics(table.columns[at - 1].name)};
  if (quantities.size() != 1 || units.is_doubtful)
    return {among, false};
  std::erase_if(all, [&](std::size_t i) {
    return !quantities.contains(words_without_statistics(table.columns[i].name));
  });
  return {all};
}

/// The units beside the numbers of a column.
struct UnitsOfRows {
  std::vector<UnitWord> units;  ///< distinct
  bool is_complete = true;      ///< every number but 0 has one

  /// Several units, or some numbers without one.
  bool differ() const { return units.size() > 1 || (!units.empty() && !is_complete); }
  bool are_convertible() const {
    return is_complete && !units.front().is_rate() && !units.front().is_unknown() &&
           std::ranges::all_of(
               units, [&](const UnitWord& unit) { return unit.kind == units.front().kind; });
  }
};

UnitsOfRows units_beside(const Column& column, const UnitColumn& units) {
  UnitsOfRows out;
  for (std::size_t row = 0; row < units.column->codes.size(); ++row) {
    const auto number =
        column.is_numeric() ? std::optional(column.numbers[row]) : parse_number(column.text(row));
    const auto& unit = units.units[units.column->codes[row]];
    if (!number || *number == 0 || std::isnan(*number))
      continue;
    out.is_complete = out.is_complete && unit;
    if (unit && std::ranges::none_of(out.units,
                                     [&](const UnitWord& known) { return known.is_same(*unit); }))
      out.units.push_back(*unit);
  }
  return out;
}

/// The column with the units in its cells, in seconds or bytes.
std::optional<Column> converted(const Column& column, const UnitColumn& units,
                                std::string_view kind) {
  Column texts;
  texts.name = column.name;
  texts.kind = Column::Kind::text;
  for (std::size_t row = 0; row < units.column->codes.size(); ++row) {
    const std::string cell = column.text(row);
    const auto& unit = units.units[units.column->codes[row]];
    texts.codes.push_back(static_cast<std::uint32_t>(row));
    texts.levels.push_back(unit && parse_number(cell) ? cell + " " + unit->word : cell);
  }
  return in_unit(texts, kind.substr(0, 1));
}

/// The columns of units of a table, and what they describe.
std::vector<std::pair<UnitColumn, Described>> unit_columns_of(const Table& table,
                                                              const std::set<std::string>& texts) {
  constexpr std::size_t most_levels = 40;
  std::vector<UnitColumn> found;
  for (const Column& column : table.columns)
    if (!column.is_numeric() && column.levels.size() <= most_levels && !texts.contains(column.name))
      if (auto units = unit_column(column))
        found.push_back(*std::move(units));
  std::vector<std::pair<UnitColumn, Described>> out;
  std::map<std::size_t, std::size_t> times_described;
  for (UnitColumn& units : found) {
    Described described = columns_with_units(units, found.size() == 1, table, texts);
    for (const std::size_t i : described.columns)
      ++times_described[i];
    out.emplace_back(std::move(units), std::move(described));
  }
  for (auto& [units, described] : out)
    for (const std::size_t i : described.columns)
      described.clear = described.clear && times_described[i] == 1;
  return out;
}

/// Takes the units of a column into those that it describes. Returns whether it is used up.
bool take_units_of(const UnitColumn& units, const Described& described, Table& table) {
  std::size_t taken = 0;
  std::optional<UnitWord> of_all;
  for (const std::size_t i : described.columns) {
    Column& column = table.columns[i];
    const UnitsOfRows found = units_beside(column, units);
    if (!described.clear)
      return false;
    if (!found.differ()) {
      if (units.is_named && !found.units.empty())
        of_all = found.units.front();
      continue;
    }
    auto with_units =
        found.are_convertible() ? converted(column, units, found.units.front().kind) : std::nullopt;
    if (!with_units)
      return false;
    column = *std::move(with_units);
    ++taken;
  }
  if (!of_all)
    return taken > 0;
  for (const std::size_t i : described.columns)
    if (table.columns[i].unit.empty())
      table.columns[i].with_unit = of_all->word;
  if (taken > 0)
    return true;
  Column& same = table.columns[to_size(units.column - table.columns.data())];
  same.levels = {of_all->word};  // several spellings are no levels
  std::ranges::fill(same.codes, 0U);
  return false;
}

}  // namespace

void take_unit_columns(Table& table, const std::set<std::string>& text_columns) {
  std::set<std::string> used;
  for (const auto& [units, described] : unit_columns_of(table, text_columns))
    if (const std::string name = units.column->name; take_units_of(units, described, table))
      used.insert(name);
  std::erase_if(table.columns, [&](const Column& column) { return used.contains(column.name); });
}

std::string doubt_of_units(const Table& table, const Column& column,
                           const std::set<std::string>& text_columns) {
  const auto at = to_size(&column - table.columns.data());
  for (const auto& [units, described] : unit_columns_of(table, text_columns)) {
    if (!contains(described.columns, at) || !units_beside(column, units).differ())
      continue;
    std::map<std::string, std::string> places;
    for (std::size_t row = 0; row < table.rows(); ++row)
      if (parse_number(column.text(row)).value_or(0) != 0)
        places.try_emplace(units.column->text(row), table.where(row));
    Words said;
    for (const auto& [unit, place] : places)
      said.push_back(fmt::format("{} ({})", unit.empty() ? "nothing" : quoted_cell(unit), place));
    const std::string name = shell_word(units.column->name);
    return fmt::format(
        "{}: column '{}': its numbers have no common unit: '{}' says {} beside them; {}, pass "
        "--categorical {} if these are no units, or fit a model of each: --by {}",
        table.source, column.name, units.column->name, enumerated(said, 6),
        described.clear ? "fill it with units of one kind, such as s and ms"
                        : fmt::format("name it '{} unit' if it has the units of that", column.name),
        name, name);
  }
  return {};
}

void require_one_unit(const Table& table, const std::string& column,
                      const std::set<std::string>& text_columns) {
  const Column* const found = table.find(column);
  const std::string doubt =
      found == nullptr ? std::string() : doubt_of_units(table, *found, text_columns);
  if (!doubt.empty())
    throw InputError(doubt);
}

std::set<std::string> columns_of_units(const Table& table,
                                       const std::set<std::string>& text_columns) {
  std::set<std::string> out;
  for (const auto& [units, described] : unit_columns_of(table, text_columns))
    for (const std::size_t i : described.columns)
      if (!units_beside(table.columns[i], units).units.empty())
        out.insert(units.column->name);
  return out;
}

namespace {

/// Throws InputError if columns of units say several ones of an input or the target.
void require_one_unit_each(const ModelSpec& spec, Target target, const Table& table) {
  std::set<std::string> texts;
  for (const CategoricalInput& input : spec.categorical)
    texts.insert(input.column);
  std::vector<std::string> names = required_columns(spec);
  if (target == Target::required)
    names.push_back(spec.throughput ? spec.throughput->column : spec.target);
  for (const std::string& name : names)
    require_one_unit(table, name, texts);
}

}  // namespace

Design make_design(const Table& table, const ModelSpec& spec, Target target,
                   std::optional<std::span<const std::size_t>> rows) {
  require_one_unit_each(spec, target, table);
  return plain_design(table, spec, target, rows, remedy_of_measured);
}

}  // namespace perfmodel
