#include "model/columns/facts/grouped_numbers.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace perfmodel {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kGroupMarks = ", _'";
constexpr std::string_view kSizeLetters = "kKMGT";
constexpr std::size_t kGroup = 3;

}  // namespace

std::optional<std::string> without_group_marks(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::size_t first = std::min(whole.find_first_not_of(kDigits), whole.size());
  if (first == 0 || first > kGroup || first == whole.size() ||
      kGroupMarks.find(whole[first]) == kGroupMarks.npos ||
      (whole.size() - first) % (kGroup + 1) != 0)
    return std::nullopt;
  std::string out(whole.substr(0, first));
  for (std::size_t at = first; at < whole.size(); at += kGroup + 1) {
    const std::string_view digits = whole.substr(at + 1, kGroup);
    if (whole[at] != whole[first] || digits.find_first_not_of(kDigits) != digits.npos)
      return std::nullopt;
    out += digits;
  }
  out += text.substr(point);
  return parse_number(out) ? std::optional(out) : std::nullopt;
}

bool has_size_letter(std::string_view text) {
  return text.size() > 1 && kSizeLetters.find(text.back()) != kSizeLetters.npos &&
         parse_number(text.substr(0, text.size() - 1));
}

bool holds_written_numbers(const Column& column) {
  return !column.is_numeric() && std::all_of(
                                     column.levels.begin(), column.levels.end(),
                                     [](const std::string& level) {
                                       return without_group_marks(level) || has_size_letter(level);
                                     });
}

}  // namespace perfmodel
