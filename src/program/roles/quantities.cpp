#include "roles/quantities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "roles/column_facts.hpp"
#include "roles/unit_columns.hpp"
#include "roles/vocabulary.hpp"

namespace perfmodel {
namespace {

// Further words of names that the vocabulary counts among other things.
constexpr WordList kTimes{
    "timeout wallclock s ms us ns h:m:s totalcpu usercpu systemcpu avecpu mincpu"};
constexpr WordList kMemories{"vsz vms uss pss cache disk bytes"};
constexpr WordList kEnergies{"energy joule joules j kj mj wh kwh"};
constexpr WordList kPointsInTime{"stop eligible at clock arrival"};

/// Numbers of the cells of a column by their unit.
struct UnitCounts {
  struct Count {
    std::size_t cells = 0;
    bool certain = false;
  };
  std::map<std::string_view, Count> of_unit;
  std::size_t zeros = 0;
  std::size_t others = 0;  ///< neither quantities nor plain numbers nor blank
};

/// The unit of most cells, or of half of them if the others have none; empty if there is none.
std::string_view prevailing_unit(const UnitCounts& counts, const Column& column) {
  const auto& [unit, most] = *std::ranges::max_element(
      counts.of_unit, {}, [](const auto& count) { return count.second.cells; });
  const std::size_t twice = 2 * (most.cells + counts.zeros);
  const bool prevails =
      twice > column.codes.size() || (twice == column.codes.size() && counts.others == 0);
  return prevails && (most.certain || denotes(column.name, unit)) ? unit : std::string_view();
}

/// A column of texts in the unit that prevails.
std::optional<Column> texts_in_prevailing_unit(const Column& column) {
  std::vector<std::optional<Quantity>> quantities;
  std::size_t without = 0;
  for (const std::string& level : column.levels) {
    quantities.push_back(quantity_or_zero(level));
    if (!quantities.back() && 2 * ++without > column.codes.size())
      return std::nullopt;  // as in a column of names of runs
  }
  UnitCounts counts;
  for (const std::uint32_t code : column.codes) {
    const std::optional<Quantity>& cell = quantities[code];
    if (!cell) {
      const std::string& text = column.levels[code];
      counts.others += text.empty() || parse_number(text) ? 0U : 1U;
    } else if (cell->unit.empty()) {
      ++counts.zeros;
    } else {
      UnitCounts::Count& count = counts.of_unit[cell->unit];
      ++count.cells;
      count.certain |= cell->certain;
    }
  }
  const std::string_view unit =
      counts.of_unit.empty() ? std::string_view() : prevailing_unit(counts, column);
  return unit.empty() ? std::nullopt : std::optional(numbers_in(column, quantities, unit));
}

}  // namespace

bool denotes(const std::string& name, std::string_view unit) {
  const std::vector<std::string> words = name_words(name);
  if (unit == "B")
    return (words.size() > 1 && words.front() == "vm") ||  // VmPeak, as Linux calls it
           has_kind(name, "memory") || kMemories.has_one_of(words) ||
           std::ranges::any_of(words, [](const std::string& word) {
             return word.size() > 1 && (kinds_of(word) & kind_mask("byteunit")) != 0;
           });
  return !has_kind(name, "date") && !kPointsInTime.has_one_of(words) &&
         (has_kind(name, "time") || has_time_unit(name) || kTimes.has(folded(name)) ||
          kTimes.has_one_of(words));
}

std::optional<Quantity> unit_as_quantity(const std::string& name, const std::string& unit) {
  std::string word = name.substr(name.find_last_of("_. ") + 1);
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const std::string& text : {unit, word})
    if (const auto one = parse_quantity("1 " + text); !text.empty() && one && one->unit != "%")
      return one;
  return std::nullopt;
}

Measure measure_of(const std::string& name, const std::string& unit) {
  for (const std::string* each : {&unit, &name}) {
    const std::string& text = *each;
    const std::vector<std::string> words = name_words(text);
    if (names_throughput(text) || has_kind(text, "rate"))
      return Measure::rate;
    const auto one = parse_quantity("1 " + text.substr(0, text.find_first_of(" /")));  // "s/step"
    if ((one && one->unit == "s") || denotes(text, "s"))
      return Measure::time;
    if ((one && one->unit == "B") || denotes(text, "B"))
      return Measure::memory;
    if (kEnergies.has_one_of(words))
      return Measure::energy;
  }
  return Measure::other;
}

Measure measure_of(const ModelSpec& spec) {
  return spec.throughput ? Measure::time : measure_of(spec.target, spec.unit);
}

const MeasureWords& words_of_measure(Measure measure) {
  static constexpr std::array words = {
      MeasureWords{"time", "times", "slower", "faster", "How long does an iteration take?",
                   "What makes it long?"},
      MeasureWords{"value", "values", "more", "less", "How much memory does a run take?",
                   "What makes it large?"},
      MeasureWords{"value", "values", "more", "less", "How much energy does a run take?",
                   "What makes it large?"},
      MeasureWords{"value", "values", "higher", "lower", "How high is the rate?",
                   "What makes it high?"},
      MeasureWords{"value", "values", "more", "less", "How much is it?", "What makes it large?"}};
  return words[static_cast<std::size_t>(measure)];
}

Unit shown_unit(const ModelSpec& spec) {
  return {spec.unit, spec.shown_unit};
}

std::optional<Column> in_prevailing_unit(const Column& column) {
  if (!column.unit.empty())
    return std::nullopt;
  if (!column.is_numeric())
    return texts_in_prevailing_unit(column);
  const auto texts = quantities_as_texts(column);
  return texts ? texts_in_prevailing_unit(*texts) : std::nullopt;
}

void convert_quantities(Table& table, const std::set<std::string>& text_columns) {
  for (Column& column : table.columns)
    if (!text_columns.contains(column.name))
      if (auto converted = in_prevailing_unit(column))
        column = std::move(*converted);
}

std::string spellings_of(std::string_view unit) {
  return unit == "B"   ? "B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB or PiB"
         : unit == "s" ? "ns, us, ms, s, m, h or d"
                       : std::string(unit);
}

}  // namespace perfmodel
