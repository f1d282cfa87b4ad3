#include "pipeline/settings/setting_values.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostValues = 1'000'000;
constexpr double kRounding = 1e-12;  // the last value may miss the end by this share

/// "a:b:c" -> a, b, c; a part may be empty.
std::vector<std::string> parts_between(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

/// From the lower end on by `step` or `factor` until beyond the upper end.
std::optional<std::vector<double>> numbers_of_range(const std::vector<std::string>& parts) {
  const auto low = parse_number(parts[0]);
  const auto high = parse_number(parts[1]);
  if (!low || !high || parts[2].empty())
    return std::nullopt;
  const auto step = parse_number(parts[2].substr(1));
  const bool by_factor = parts[2].front() == 'x';
  if (!step || (!by_factor && parts[2].front() != '+') ||
      !(by_factor ? *step > 1 && *low > 0 : *step > 0))
    return std::nullopt;
  std::vector<double> numbers;
  const double end = *high + kRounding * std::abs(*high);
  for (double value = *low; value <= end && numbers.size() <= kMostValues;) {
    numbers.push_back(value);
    const auto taken = static_cast<double>(numbers.size());
    value = by_factor ? value * *step : *low + taken * *step;
  }
  if (numbers.empty() || numbers.size() > kMostValues)
    return std::nullopt;
  return numbers;
}

}  // namespace

std::optional<std::vector<double>> listed_numbers(const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& item : parts_between(text, ',')) {
    const std::vector<std::string> parts = parts_between(item, ':');
    if (parts.size() == 3) {
      const auto range = numbers_of_range(parts);
      if (!range)
        return std::nullopt;
      numbers.insert(numbers.end(), range->begin(), range->end());
    } else if (const auto number = parse_number(item)) {
      numbers.push_back(*number);
    } else {
      return std::nullopt;
    }
  }
  return numbers;
}

std::vector<std::string> listed_levels(const std::string& text,
                                       const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), text) != known.end())
    return {text};
  return parts_between(text, ',');
}

}  // namespace perfmodel
