#include "report/markup.hpp"

#include <array>
#include <cmath>
#include <cstdio>
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

/// Returns the number of bytes of a character at the start of the text that a page must not
/// contain: a control or a Unicode noncharacter; else 0.
std::size_t unprintable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if ((byte(0) < 0x20 && text[0] != '\n') || byte(0) == 0x7F)
    return 1;
  if (text.size() > 1 && byte(0) == 0xC2 && byte(1) < 0xA0)
    return 2;
  if (text.size() > 2 && byte(0) == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE)
    return 3;
  return 0;
}

}  // namespace

std::string escaped_markup(std::string_view text) {
  const bool valid = is_utf8(text);
  std::string out;
  while (!text.empty()) {
    const std::string_view reference = reference_of(text[0]);
    std::size_t length = unprintable_length(text);
    if (length > 0)
      out += ' ';
    else if (!reference.empty())
      out += reference;
    else
      out += valid || static_cast<unsigned char>(text[0]) < 0x80 ? text[0] : '?';
    length = length > 0 ? length : 1;
    text.remove_prefix(length);
  }
  return out;
}

std::string coordinate(double value) {
  if (!std::isfinite(value) || std::abs(value) > 1e9)
    throw std::logic_error("a place outside of the picture was about to be drawn");
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  std::string out = text.data();
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
