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

/// What is kept of the times of equal configurations.
enum class MergedTimes {
  distinct,            ///< each time with its number of runs
  lists,               ///< the same, but of too many a TimeList of each configuration
  moments,             ///< the same, but of too many TimeMoments without logarithms
  logarithmic_moments  ///< with logarithms
};

/// How much of a table may be left.
struct MergeLimits {
  std::size_t configurations = 2'000'000;
  std::size_t distinct = 10'000'000;     ///< pairs of a configuration and a time
  std::size_t before_moments = 250'000;  ///< pairs, more than which become lists or moments
};

}  // namespace perfmodel
