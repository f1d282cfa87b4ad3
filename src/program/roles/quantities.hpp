#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// A number with a unit, in the unit of its kind: "s", "B" or "%".
struct Quantity {
  double value = 0;
  std::string_view unit;
  /// False for a text that may as well be a name or a time of day: "5m", "5s", "7B", "16G",
  /// "12:00:00". Seconds of two or more digits ("90s") are certain.
  bool certain = true;
};

/// The quantity that is the whole text; nullopt if it is none.
///
/// - Time: "350ms", "4.9 s", "1h 2m 3.5s" (ns, us, µs, ms, s, m, h, d and the usual words, in
///   descending order), "HH:MM:SS" and "D-HH:MM:SS", also with fractions, and "MM:SS.f". "12:31" is
///   none, since it may be of hours and minutes.
/// - Memory: kB (or KB), MB, GB, TB, PB are powers of 1000; Ki, Mi, Gi, Ti, Pi, with or without B,
///   and the bare letters K, M, G, T, P are powers of 1024. "16k" is none, since it may be a count.
/// - Percent: "72.6%".
std::optional<Quantity> parse_quantity(std::string_view text);

/// True if the name of a column denotes quantities of this unit: "Elapsed", "ReqMem", "peak_rss".
bool denotes(const std::string& name, std::string_view unit);

/// What the numbers of a target are; `other`: counts, sizes, and what is not known.
enum class Measure { time, memory, energy, rate, other };

/// By the unit ("ms", "GiB", "kWh", "samples/s") or, if it tells nothing, by the name: "VmHWM".
Measure measure_of(const std::string& name, const std::string& unit);
Measure measure_of(const ModelSpec& spec);
/// Whether speedups and efficiencies make sense of it.
constexpr bool is_speed(Measure measure) {
  return measure == Measure::time || measure == Measure::rate;
}

/// 1 in the unit of a target or, if that is none, in the one at the end of its name ("peak_mb"), as
/// a quantity; nullopt if neither is a unit of time or memory.
std::optional<Quantity> unit_as_quantity(const std::string& name, const std::string& unit);

/// How a target is spoken of: a time is slower or faster, others are more or less.
struct MeasureWords {
  std::string_view value;    ///< "time", "value"
  std::string_view values;   ///< "times", "values"
  std::string_view greater;  ///< of a larger one: "slower"
  std::string_view smaller;
  std::string_view question;  ///< "How long does an iteration take?"
  std::string_view reasons;   ///< "What makes it long?"
};
const MeasureWords& words_of_measure(Measure measure);

/// The unit of the target, and the one in which its cells were written.
Unit shown_unit(const ModelSpec& spec);
/// The usual spelling of the unit of a cell such as "801.03 GiB"; empty if it is no memory.
std::string unit_of_cell(std::string_view cell);

/// The column with numbers in the wanted unit ("s", "B" or "%"), that of a model, if any of its
/// cells is a quantity of it, also an uncertain one. All other cells but 0 are bad cells. With an
/// empty unit, see convert_quantities(). Returns nullopt if the column is to be left as it is.
std::optional<Column> in_unit(const Column& column, std::string_view wanted);

/// Makes columns whose cells are mostly quantities numeric, with their unit. Half of the cells are
/// enough if the others are plain numbers or blank.
///
/// A quantity that is not certain counts only beside a certain one of its unit, or if the name of
/// the column denotes time or memory ("Elapsed", "MaxRSS"). A 0 has every unit. All other cells are
/// bad cells, among them plain numbers and quantities of another unit. Columns in `text_columns`
/// are left as they are. O(levels) for a column of texts without quantities.
void convert_quantities(Table& table, const std::set<std::string>& text_columns);

/// The units of this kind that a quantity can have: "ns, us, ms, s, m, h or d".
std::string spellings_of(std::string_view unit);

}  // namespace perfmodel
