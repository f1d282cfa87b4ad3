#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/table.hpp"

// What a cell says, and what the cells of a column say of its unit.

namespace perfmodel {

/// Whether a cell says that there is no value: blank, "-", "--", "N/A", "nan", "?".
bool is_missing(std::string_view cell);

/// The value of "true", "TRUE", "False", ...; nullopt for other texts.
std::optional<bool> truth_value(std::string_view text);

/// A number with a unit, in the unit of its kind: "s", "B" or "%".
struct Quantity {
  double value = 0;
  std::string_view unit;
  /// False for a text that may as well be a name or a time of day: "5m", "5s", "7B", "16G",
  /// "12:00:00". Seconds of two or more digits ("90s") are certain.
  bool certain = true;
};

/// The quantity that is the whole text, after a "~"; nullopt if it is none.
///
/// - Time: "350ms", "4.9 s", "1h 2m 3.5s" (ns, us, µs, ms, s, m, h, d and the usual words, in
///   descending order; "34m09", "1h07"), "HH:MM:SS" and "D-HH:MM:SS", also with fractions, and
///   "MM:SS.f". "12:31" is none, since it may be of hours and minutes.
/// - Memory: kB (or KB), MB, GB, TB, PB are powers of 1000; Ki, Mi, Gi, Ti, Pi, with or without B,
///   and the bare letters K, M, G, T, P are powers of 1024. "16k" is none, since it may be a count.
/// - Percent: "72.6%".
std::optional<Quantity> parse_quantity(std::string_view text);

/// The same, and for a plain 0, which has every unit, one without a unit.
std::optional<Quantity> quantity_or_zero(const std::string& cell);

/// The usual spelling of the unit of a cell such as "801.03 GiB"; empty if it is no memory.
std::string unit_of_cell(std::string_view cell);

/// The unit of numbers that are as they are written, "ms", if a column of units says it.
const std::string& unit_beside(const Column& column);

/// A column of numbers of whose bad cells some are quantities as texts, with a level per row;
/// nullopt if none is.
std::optional<Column> quantities_as_texts(const Column& column);

/// The numbers of a column of texts in a unit, with the quantity of each level. Other cells are bad
/// ones.
Column numbers_in(const Column& column, const std::vector<std::optional<Quantity>>& quantities,
                  std::string_view unit);

/// The column with numbers in the wanted unit ("s", "B" or "%"), that of a model, if any of its
/// cells is a quantity of it, also an uncertain one. All other cells but 0 are bad cells. nullopt
/// if the column is to be left as it is.
std::optional<Column> in_unit(const Column& column, std::string_view wanted);

}  // namespace perfmodel
