#include "export/text_literal.hpp"

#include <algorithm>

#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace perfmodel {

std::string text_literal(std::string_view text, const LiteralRules& rules) {
  std::string out = "\"";
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::string_view bytes =
        text.substr(0, std::max<std::size_t>(character.length, 1));  // bytes that are no UTF-8
    text.remove_prefix(bytes.size());
    out += is_control(character.code_point) ? rules.control(character.code_point, bytes)
                                            : rules.other(bytes, out);
  }
  return out + '"';
}

}  // namespace perfmodel
