#pragma once

#include <string>
#include <string_view>

#include "sources/sheet.hpp"

namespace perfmodel {

/// A cell of Markdown without its marks: bold text, code, tags of HTML, and the address of a link.
std::string without_markup(std::string_view cell);

/// Box-drawing characters as "|", "-" and "+", so that tables of terminals are those of psql.
std::string without_boxes(std::string_view text);

/// A column "Unit" tells what the numbers of a column "Score", "Value" or of a time are: if it has
/// the same word in all rows, this becomes a part of their name, else of their cells.
void take_units(Sheet& sheet);

/// Columns of numbers with an uncertainty ("12.5 +- 0.3", "12.5 (± 2 %)") or all with one further
/// word ("181 t/s"), from the second row on, become columns of numbers; the word becomes a part of
/// their name. Words that quantities have stay.
void take_numbers(Sheet& sheet);

}  // namespace perfmodel
