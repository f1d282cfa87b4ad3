#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace perfmodel {

/// Whether a character steers a terminal or the order of the text on it instead of being shown: a
/// control of C0 or C1, DEL, or a mark or override of the direction of writing.
bool is_control(std::uint32_t code_point);

/// A text for people, where names come from files that anybody may have written: each control but
/// the line feed is a '?', and so is each byte that is no UTF-8 (a terminal may take it for C1).
/// Files for machines do without: they have their own ways of escaping.
std::string printable(std::string_view text);

/// The same of what stands on one line, such as a name: the line feed is a '?', too.
std::string printable_word(std::string_view text);

}  // namespace perfmodel
