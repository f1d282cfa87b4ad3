#include "model/columns/level_order.hpp"

#include <algorithm>
#include <tuple>

#include "base/text.hpp"

namespace perfmodel {

void sort_levels(std::vector<std::string>& levels) {
  const auto key = [](const std::string& level) {
    const auto number = parse_number(level);
    return std::tuple(!number.has_value(), number.value_or(0.0), level);
  };
  std::vector<decltype(key(std::string()))> keys;
  keys.reserve(levels.size());
  for (const std::string& level : levels)
    keys.push_back(key(level));
  std::sort(keys.begin(), keys.end());
  std::transform(keys.begin(), keys.end(), levels.begin(),
                 [](const auto& sorted) { return std::get<2>(sorted); });
}

}  // namespace perfmodel
