#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// What each line of a table has where.
struct LineLayout {
  CellStyle style;
  std::vector<std::string> names;   ///< by field, as all
  std::size_t time = 0;             ///< the measured one
  std::vector<bool> plays_no_part;  ///< whose cells make no two rows different
  /// Of a cell of the time that is none: whether its run failed and is to be left out. Empty: all
  /// such rows are odd.
  std::function<bool(const std::string& cell)> is_failure = {};
};

/// How much of a table may be left.
struct MergeLimits {
  std::size_t configurations = 2'000'000;
  std::size_t distinct = 2'000'000;  ///< pairs of a configuration and a time
};

}  // namespace perfmodel
