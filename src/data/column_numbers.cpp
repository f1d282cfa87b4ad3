#include "data/column_numbers.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "base/text.hpp"

namespace perfmodel {

std::vector<double> level_numbers(const Column& column) {
  std::vector<double> numbers;
  numbers.reserve(column.levels.size());
  for (const std::string& level : column.levels)
    numbers.push_back(parse_number(level).value_or(std::numeric_limits<double>::quiet_NaN()));
  return numbers;
}

std::vector<double> numbers_of(const Column& column) {
  if (column.is_numeric())
    return column.numbers;
  const std::vector<double> of_level = level_numbers(column);
  std::vector<double> numbers;
  numbers.reserve(column.codes.size());
  for (const std::uint32_t code : column.codes)
    numbers.push_back(of_level[code]);
  return numbers;
}

}  // namespace perfmodel
