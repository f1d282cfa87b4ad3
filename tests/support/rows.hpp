#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace perfmodel::test {

/// first, first + 1, ... up to the one before `end`.
inline std::vector<std::size_t> rows_between(std::size_t first, std::size_t end) {
  std::vector<std::size_t> rows(end - first);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

}  // namespace perfmodel::test
