#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// What the cells of a column have in common.
struct ColumnFacts {
  std::size_t numbers = 0;    ///< cells that are numbers
  std::size_t texts = 0;      ///< all others, blank cells among them
  bool constant = false;      ///< one value in all rows
  bool zero_one = false;      ///< numbers only, 0 and 1 both, nothing else
  bool all_positive = false;  ///< every cell that is a number is > 0
  bool negative = false;      ///< one is < 0
  std::size_t levels = 0;     ///< distinct texts of a text column; 0 for a numeric one

  /// A column whose few texts are slips among numbers, not levels.
  bool mostly_numbers() const { return numbers > texts; }
  bool mixed() const { return numbers > 0 && texts > 0; }
};

ColumnFacts facts_of(const Column& column);

/// For each level of a text column, whether it is a number.
std::vector<bool> numeric_levels(const Column& column);

}  // namespace perfmodel
