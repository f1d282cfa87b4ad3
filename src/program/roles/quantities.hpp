#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "perfmodel/spec.hpp"
#include "table/cells.hpp"

namespace perfmodel {

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
/// The column in the unit of most of its cells, see convert_quantities(); nullopt if it is to be
/// left as it is.
std::optional<Column> in_prevailing_unit(const Column& column);

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
