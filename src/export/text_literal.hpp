#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace perfmodel {

/// How a language writes the characters of a literal.
struct LiteralRules {
  /// A control: as it is, it could end the line, or turn what a reader sees of the code.
  std::function<std::string(std::uint32_t code_point, std::string_view bytes)> control;
  /// Any other, after the literal as it stands so far.
  std::function<std::string(std::string_view bytes, const std::string& before)> other;
};

/// The text between double quotes.
std::string text_literal(std::string_view text, const LiteralRules& rules);

}  // namespace perfmodel
