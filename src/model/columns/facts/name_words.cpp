#include "model/columns/facts/name_words.hpp"

#include <algorithm>
#include <array>

namespace perfmodel {
namespace {

constexpr std::array<std::string_view, 21> kStatistics{
    "avg",   "mean", "average", "median",  "std", "stddev",   "min",
    "max",   "p50",  "p90",     "p95",     "p99", "var",      "sum",
    "final", "last", "best",    "percent", "pct", "measured", "aux",
};

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_statistic(const std::string& word) {
  return std::find(kStatistics.begin(), kStatistics.end(), word) != kStatistics.end();
}

}  // namespace

std::vector<std::string> name_words(std::string_view name) {
  std::vector<std::string> words(1);
  const auto end_word = [&] {
    if (!words.back().empty())
      words.emplace_back();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (is_upper(c)) {
      if (i > 0 && is_lower_or_digit(name[i - 1]))
        end_word();
      words.back() += static_cast<char>(c - 'A' + 'a');
    } else if (is_lower_or_digit(c) || static_cast<unsigned char>(c) >= 0x80) {
      words.back() += c;
    } else {
      end_word();
      if (c == '/') {
        words.back() = "per";
        words.emplace_back();
      }
    }
  }
  if (words.back().empty())
    words.pop_back();
  return words;
}

std::vector<std::string> words_of_quantity(std::string_view name) {
  std::vector<std::string> words = name_words(name);
  while (words.size() > 1 && is_statistic(words.back()))
    words.pop_back();
  while (words.size() > 1 && is_statistic(words.front()))
    words.erase(words.begin());
  return words;
}

}  // namespace perfmodel
