#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>

#include "base/printable.hpp"

namespace perfmodel {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether a byte goes on with a character of UTF-8.
bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Levenshtein's distance with swapped neighbours as one step (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, current);
  }
  return last[b.size()];
}

}  // namespace

std::string to_text(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string rounded(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

std::string joined(std::span<const std::string> words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? std::string() : std::string(separator)) + word;
  return text;
}

std::string enumerated(std::span<const std::string> words, std::size_t most) {
  const std::size_t named = std::min(words.size(), most);
  std::string text;
  for (std::size_t k = 0; k < named; ++k) {
    const bool is_last = k + 1 == words.size();
    text += (k == 0 ? "" : is_last ? " and " : ", ") + words[k];
  }
  return named < words.size() ? text + " and " + std::to_string(words.size() - named) + " more"
                              : text;
}

std::optional<double> parse_number(std::string_view text) {
  const char* first = text.data();
  const char* const last = first + text.size();
  // from_chars takes no plus sign, though "+5" can mean nothing but 5.
  if (text.size() > 1 && text[0] == '+' && (is_digit(text[1]) || text[1] == '.'))
    ++first;
  double value = 0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc{} || end != last || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::string folded(std::string_view word) {
  std::string result(word);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
    else if (c == '-' || c == ' ')
      c = '_';
  return result;
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::string wanted = folded(word);
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, folded(candidate));
    // One slip in three letters; "99" is no slip of "9".
    const std::size_t allowed = std::max(wanted.size(), candidate.size()) / 3;
    if (distance <= allowed && (best == nullptr || distance < best_distance)) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string quoted_cell(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::size_t end = std::min(text.size(), longest);
  while (end > 0 && end < text.size() && is_continuation(text[end]))
    --end;  // characters are not cut
  return "\"" + printable_word(text.substr(0, end)) + (end < text.size() ? "...\"" : "\"");
}

std::string quoted_list(std::span<const std::string> words) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0)
      result += i + 1 == words.size() ? " and " : ", ";
    result += "'" + printable_word(words[i]) + "'";
  }
  return result;
}

std::string sorted_list(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  return quoted_list(words);
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto candidate = nearest(word, candidates);
  return candidate ? "; did you mean '" + printable_word(*candidate) + "'?" : std::string();
}

}  // namespace perfmodel
