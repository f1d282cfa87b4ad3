#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// "1024" of a number whose thousands are parted by commas, blanks, underscores or apostrophes:
/// "1,024", "1_024". Nothing of any other text.
std::optional<std::string> without_group_marks(std::string_view text);

/// Whether this is a number with a letter for its thousands, millions, ...: "16k", "1.5M".
bool has_size_letter(std::string_view text);

/// Whether all texts of a column are numbers to people, though not to parse_number().
bool holds_written_numbers(const Column& column);

}  // namespace perfmodel
