#include "model/code_levels.hpp"

#include <cctype>
#include <set>

#include "perfmodel/base/text.hpp"

namespace perfmodel {
namespace {

std::string lower_case(std::string text) {
  for (char& c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::string quoted(const std::string& text, FormulaLanguage language) {
  const bool doubles_quotes = language == FormulaLanguage::spreadsheet;
  std::string out = "\"";
  for (const char c : text) {
    if (doubles_quotes) {
      out += c == '"' ? "\"\"" : std::string(1, c);
    } else if (c == '\n' || c == '\r') {
      out += c == '\n' ? "\\n" : "\\r";
    } else {
      // The second '?' of two would make a trigraph in C.
      const bool escaped = c == '"' || c == '\\' ||
                           (language == FormulaLanguage::c && c == '?' && out.back() == '?');
      out += escaped ? std::string{'\\', c} : std::string(1, c);
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
