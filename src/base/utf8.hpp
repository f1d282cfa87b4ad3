#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perfmodel {

/// A character and the bytes that it takes; without any where no well-formed UTF-8 begins.
struct Utf8Character {
  std::uint32_t code_point = 0;
  std::size_t length = 0;
};

/// The character that a text begins with.
Utf8Character first_character(std::string_view text);

/// Whether a text is well-formed UTF-8, as JSON and HTML need it.
bool is_utf8(std::string_view text);

}  // namespace perfmodel
