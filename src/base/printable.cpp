#include "base/printable.hpp"

#include <algorithm>
#include <cstddef>

#include "base/utf8.hpp"

namespace perfmodel {
namespace {

std::string masked(std::string_view text, bool keep_line_feeds) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const bool shown = character.length > 0 && (!is_control(character.code_point) ||
                                                (keep_line_feeds && character.code_point == '\n'));
    const std::size_t length = std::max<std::size_t>(character.length, 1);
    out += shown ? text.substr(0, length) : "?";
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace

bool is_control(std::uint32_t code_point) {
  const auto within = [&](std::uint32_t first, std::uint32_t last) {
    return first <= code_point && code_point <= last;
  };
  return code_point < 0x20 || within(0x7F, 0x9F)  // C0, DEL and C1
         || code_point == 0x61C                   // Arabic letter mark
         || within(0x200E, 0x200F)                // marks from left to right and back
         || within(0x202A, 0x202E)                // embeddings and overrides
         || within(0x2066, 0x2069);               // isolates
}

std::string printable(std::string_view text) {
  return masked(text, true);
}

std::string printable_word(std::string_view text) {
  return masked(text, false);
}

}  // namespace perfmodel
