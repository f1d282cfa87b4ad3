#include "model/columns/facts/column_facts.hpp"

#include "base/text.hpp"

namespace perfmodel {
namespace {

ColumnFacts facts_of_numbers(const Column& column) {
  ColumnFacts facts;
  facts.texts = column.bad_cells.size();
  facts.numbers = column.numbers.size() - facts.texts;
  bool zero = false;
  bool one = false;
  bool other = false;
  bool different = false;
  bool not_positive = false;
  for (const double x : column.numbers) {  // NaN, a bad cell, is "other" and "different"
    zero = zero || x == 0;
    one = one || x == 1;
    other = other || !(x == 0 || x == 1);
    different = different || !(x == column.numbers[0]);
    not_positive = not_positive || x <= 0;
    facts.negative = facts.negative || x < 0;
  }
  facts.constant = !different;
  facts.zero_one = zero && one && !other;
  facts.all_positive = !not_positive;
  return facts;
}

ColumnFacts facts_of_texts(const Column& column) {
  ColumnFacts facts;
  const std::vector<bool> numeric = numeric_levels(column);
  for (const std::uint32_t code : column.codes)
    ++(numeric[code] ? facts.numbers : facts.texts);
  facts.constant = column.levels.size() == 1;
  facts.levels = column.levels.size();
  return facts;
}

}  // namespace

ColumnFacts facts_of(const Column& column) {
  return column.is_numeric() ? facts_of_numbers(column) : facts_of_texts(column);
}

std::vector<bool> numeric_levels(const Column& column) {
  std::vector<bool> result;
  result.reserve(column.levels.size());
  for (const std::string& level : column.levels)
    result.push_back(parse_number(level).has_value());
  return result;
}

}  // namespace perfmodel
