#include "base/readable.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace perfmodel {
namespace {

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string clipped(const std::string& text, std::size_t width) {
  if (display_width(text) <= width)
    return text;
  std::vector<std::string> characters;
  for (const char byte : text) {
    if (starts_character(byte) || characters.empty())
      characters.emplace_back();
    characters.back() += byte;
  }
  const std::size_t head = (width - 1) / 2;
  const std::size_t tail = width - 1 - head;
  std::string result;
  for (std::size_t i = 0; i < characters.size(); ++i)
    if (i < head || i + tail >= characters.size())
      result += characters[i];
    else if (i == head)
      result += "\u2026";
  return result;
}

std::string short_number(double value) {
  if (!std::isfinite(value))
    return "-";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " [" + unit + "]";
}

std::string percent(double value) {
  std::array<char, 400> text{};  // the largest double has 309 digits
  std::snprintf(text.data(), text.size(), "%.1f %%", value);
  return std::string_view(text.data()) == "-0.0 %" ? "0.0 %" : text.data();
}

}  // namespace perfmodel
