#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace perfmodel {

/// Row indices of the three parts of a data set.
struct Split {
  std::vector<std::size_t> train;
  std::vector<std::size_t> validation;
  std::vector<std::size_t> test;
};

/// Shares of train : validation : test as the user wrote them, "60:20:20" or "80:20" (train :
/// test).
struct SplitShares {
  double train = 1;
  double validation = 0;
  double test = 0;
};

/// Throws UsageError where the text is not two or three non-negative numbers with a positive first.
SplitShares parse_split(std::string_view text);

/// A random split of these rows; the same rows in the same order and the same seed give the same
/// split. Part sizes are round(share * rows), the test part takes the rest; each part keeps the
/// order. Throws UsageError where a part that was asked for would be empty.
Split split_rows(std::span<const std::size_t> rows, const SplitShares& shares, std::uint64_t seed);

}  // namespace perfmodel
