#include "base/utf8.hpp"

namespace perfmodel {
namespace {

/// The bytes of a sequence that begins with `lead`; 0 where none does.
std::size_t sequence_length(std::uint32_t lead) {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xC0 && lead < 0xE0)
    return 2;
  if (lead >= 0xE0 && lead < 0xF0)
    return 3;
  return lead >= 0xF0 && lead < 0xF8 ? 4 : 0;
}

/// Neither written longer than needed, nor a surrogate, nor beyond Unicode.
bool is_valid(std::uint32_t code_point, std::size_t length) {
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xD800 && code_point < 0xE000;
  return code_point >= smallest[length] && code_point < 0x110000 && !surrogate;
}

}  // namespace

Utf8Character first_character(std::string_view text) {
  if (text.empty())
    return {};
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = sequence_length(lead);
  if (length == 0 || length > text.size())
    return {};
  // The lead byte of a sequence of n > 1 bytes carries 7 - n bits, each further byte 6.
  std::uint32_t code_point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U)
      return {};
    code_point = code_point << 6 | (byte & 0x3FU);
  }
  return is_valid(code_point, length) ? Utf8Character{code_point, length} : Utf8Character{};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = first_character(text).length;
    if (length == 0)
      return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace perfmodel
