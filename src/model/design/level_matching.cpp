#include "model/design/level_matching.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/text.hpp"
#include "model/columns/facts/truth_values.hpp"

namespace perfmodel {

LevelMatcher::LevelMatcher(const CategoricalInput& input) : input_(input) {
  for (std::uint32_t i = 0; i < input.levels.size(); ++i)
    by_text_.emplace(input.levels[i], i);
}

std::optional<std::uint32_t> LevelMatcher::match(const std::string& text) const {
  if (const auto found = by_text_.find(text); found != by_text_.end())
    return found->second;
  const auto number = parse_number(text);
  const bool whole = number && std::floor(*number) == *number;
  return whole ? match_value(*number) : match_truth(text);
}

std::optional<std::uint32_t> LevelMatcher::match(double number) const {
  if (const auto found = by_text_.find(to_text(number + 0.0)); found != by_text_.end())
    return found->second;
  return match_value(number);
}

std::optional<std::uint32_t> LevelMatcher::match_value(double number) const {
  std::optional<std::uint32_t> match;
  for (std::uint32_t i = 0; i < input_.levels.size(); ++i) {
    if (parse_number(input_.levels[i]) == number) {
      if (match)
        return std::nullopt;  // "1.1" and "1.10": the number does not tell which
      match = i;
    }
  }
  return match;
}

std::optional<std::uint32_t> LevelMatcher::match_truth(const std::string& text) const {
  const auto value = truth_value(text);
  std::optional<std::uint32_t> match;
  for (std::uint32_t i = 0; value && i < input_.levels.size(); ++i) {
    if (truth_value(input_.levels[i]) == value) {
      if (match)
        return std::nullopt;
      match = i;
    }
  }
  return match;
}

std::string LevelMatcher::reason(const std::string& text, std::size_t rows) const {
  constexpr std::size_t shown = 10;
  const std::span<const std::string> levels(input_.levels);
  const std::size_t more = levels.size() - std::min(levels.size(), shown);
  return quoted_cell(text) + (rows == 1 ? "" : " (" + std::to_string(rows) + " rows)") +
         " is not a level of the model, which has " +
         (more == 0
              ? quoted_list(levels)
              : quoted_list(levels.first(shown)) + ", ... (" + std::to_string(more) + " more)") +
         did_you_mean(text, levels);
}

}  // namespace perfmodel
