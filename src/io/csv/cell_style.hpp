#pragma once

#include <optional>
#include <string_view>

#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// What stands between the columns of a file, and whether its numbers have decimal commas.
///
/// The separator is the one of comma, semicolon, tab and '|' that gives the header and the first
/// row the same number of fields, the comma where it does. Where commas do not separate, "0,5" is
/// a number; a file in which each comma could be one of thousands ("1,024") beside decimal points
/// has no decimal commas.
CellStyle recognise_style(std::string_view bytes, std::optional<char> separator);

/// Whether this is a number with one decimal comma.
bool is_comma_number(std::string_view cell);

}  // namespace perfmodel
