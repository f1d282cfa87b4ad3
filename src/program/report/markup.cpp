#include "report/markup.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "base/text.hpp"

namespace perfmodel {
namespace {

std::string_view reference_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

/// True for characters that a page must not contain: controls and Unicode noncharacters.
bool is_unprintable(std::uint32_t code_point) {
  return (code_point < 0x20 && code_point != '\n') || (code_point >= 0x7F && code_point < 0xA0) ||
         code_point == 0xFFFE || code_point == 0xFFFF;
}

}  // namespace

std::string escaped_markup(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [code_point, length] = first_character(text);
    const std::string_view reference = reference_of(text[0]);
    if (length == 0)
      out += '?';
    else if (is_unprintable(code_point))
      out += ' ';
    else
      out += reference.empty() ? text.substr(0, length) : reference;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string coordinate(double value) {
  if (!std::isfinite(value) || std::abs(value) > 1e9)
    throw std::logic_error("a place outside of the picture was about to be drawn");
  std::string out = fmt::format("{:.2f}", value);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.')
    out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string element(std::string_view name, std::string_view attributes, std::string_view content) {
  std::string out = "<";
  out += name;
  out += attributes;
  out += ">";
  out += content;
  out += "</";
  out += name;
  return out += ">";
}

std::string empty_element(std::string_view name, std::string_view attributes) {
  return "<" + std::string(name) + std::string(attributes) + "/>";
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + escaped_markup(value) + "\"";
}

}  // namespace perfmodel
