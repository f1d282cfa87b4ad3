#include "io/figures/pdf_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/utf8.hpp"

namespace perfmodel::figures {
namespace {

/// Of ' ' up to '~', in thousandths; those that follow are about as wide as a digit.
constexpr std::array<std::uint16_t, 95> kWidths = {
    278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,  // to '/'
    556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,  // to '?'
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,  // to 'O'
    667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,  // to '_'
    333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,  // to 'o'
    556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};
constexpr double kOtherWidth = 556;

/// Where the encoding has a character elsewhere than Unicode, or one that looks the same.
constexpr std::array<std::pair<std::uint32_t, unsigned char>, 10> kPlaces = {{{0x20AC, 0x80},
                                                                              {0x2026, 0x85},
                                                                              {0x2018, 0x91},
                                                                              {0x2019, 0x92},
                                                                              {0x201C, 0x93},
                                                                              {0x201D, 0x94},
                                                                              {0x2013, 0x96},
                                                                              {0x2014, 0x97},
                                                                              {0x2212, '-'},
                                                                              {0x03BC, 0xB5}}};

unsigned char byte_of(std::uint32_t code_point) {
  if ((code_point >= 0x20 && code_point < 0x7F) || (code_point >= 0xA0 && code_point <= 0xFF))
    return static_cast<unsigned char>(code_point);
  const auto found = std::find_if(kPlaces.begin(), kPlaces.end(),
                                  [&](const auto& place) { return place.first == code_point; });
  return found == kPlaces.end() ? '?' : found->second;
}

}  // namespace

std::string in_helvetica(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    out += static_cast<char>(character.length > 0 ? byte_of(character.code_point) : '?');
    text.remove_prefix(std::max<std::size_t>(character.length, 1));
  }
  return out;
}

double helvetica_width(std::string_view bytes) {
  double width = 0;
  for (const char c : bytes)
    width += c >= ' ' && c <= '~' ? kWidths[static_cast<std::size_t>(c - ' ')] : kOtherWidth;
  return width / 1000;
}

std::string pdf_literal(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    if (c == '(' || c == ')' || c == '\\')
      out += '\\';
    out += c;
  }
  return out;
}

}  // namespace perfmodel::figures
