#include "export/code_levels.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string_view>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace perfmodel {
namespace {

std::string lower_case(std::string text) {
  for (char& c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// A control inside of a literal: it could end the line, or turn what a reader sees of the code.
std::string control(std::uint32_t code_point, std::string_view bytes, FormulaLanguage language) {
  std::array<char, 8> text{};
  if (language == FormulaLanguage::spreadsheet) {
    const std::string function = code_point < 0x80 ? "CHAR(" : "UNICHAR(";
    return "\"&" + function + std::to_string(code_point) + ")&\"";
  }
  if (language == FormulaLanguage::python) {
    std::snprintf(text.data(), text.size(), "\\u%04x", static_cast<unsigned>(code_point));
    return text.data();
  }
  // Three octal digits end by themselves, as hexadecimal ones do not.
  std::string out;
  for (const char byte : bytes) {
    std::snprintf(text.data(), text.size(), "\\%03o",
                  static_cast<unsigned>(static_cast<unsigned char>(byte)));
    out += text.data();
  }
  return out;
}

}  // namespace

std::string quoted(const std::string& text, FormulaLanguage language) {
  std::string out = "\"";
  for (std::string_view rest = text; !rest.empty();) {
    Utf8Character character = first_character(rest);
    character.length = std::max<std::size_t>(character.length, 1);
    const std::string_view bytes = rest.substr(0, character.length);
    rest.remove_prefix(character.length);
    if (is_control(character.code_point)) {
      out += control(character.code_point, bytes, language);
    } else if (language == FormulaLanguage::spreadsheet) {
      out += bytes == "\"" ? "\"\"" : bytes;
    } else {
      // The second '?' of two would make a trigraph in C.
      const bool escaped = bytes == "\"" || bytes == "\\" ||
                           (language == FormulaLanguage::c && bytes == "?" && out.back() == '?');
      out += escaped ? "\\" : "";
      out += bytes;
    }
  }
  return out + '"';
}

CellMatch cell_match(const std::vector<std::string>& levels) {
  std::set<std::string> different;
  std::size_t numbers = 0;
  for (const std::string& level : levels) {
    different.insert(lower_case(level));
    if (parse_number(level))
      ++numbers;
  }
  if (numbers == levels.size())
    return CellMatch::number;
  if (different.size() < levels.size())
    return CellMatch::exact;
  const bool has_truth = different.contains("true") || different.contains("false");
  return numbers > 0 || has_truth ? CellMatch::joined : CellMatch::text;
}

std::string cell_has(const std::string& name, const std::string& level, CellMatch match) {
  const std::string text = quoted(level, FormulaLanguage::spreadsheet);
  switch (match) {
    case CellMatch::exact:
      return "EXACT(" + name + "," + text + ")";
    case CellMatch::number:
      return "VALUE(" + name + ")=" + to_text(parse_number(level).value());
    case CellMatch::joined:
      return name + "&\"\"=" + text;
    default:
      return name + "=" + text;
  }
}

}  // namespace perfmodel
