#pragma once

#include <string>
#include <string_view>

#include "sources/sheet.hpp"

namespace perfmodel {

/// A cell of Markdown without its marks: bold text, code, tags of HTML, and the address of a link.
std::string without_markup(std::string_view cell);

/// Box-drawing characters as "|", "-" and "+", so that tables of terminals are those of psql.
std::string without_boxes(std::string_view text);

/// A column "Unit" tells what the numbers of a column "Score", "Value" or of a time are. One unit
/// for all rows becomes a part of the name, but not in CSV, where scripts use the names; for
/// several, see take_unit_columns().
void take_units(Sheet& sheet);

/// Columns of numbers with an uncertainty ("12.5 +- 0.3", "12.5 (± 2 %)") become columns of
/// numbers, from the second row on. So do those with one word behind all numbers ("181 t/s"), which
/// becomes a part of their name; not in CSV, and words that quantities have stay.
void take_numbers(Sheet& sheet);

}  // namespace perfmodel
