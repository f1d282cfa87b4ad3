#pragma once

#include <cstddef>
#include <vector>

namespace perfmodel {

/// Which of the given columns each column of a canonical order is, and which of its levels each.
struct ColumnOrder {
  std::vector<std::size_t> intrinsic;
  std::vector<std::size_t> categorical;
  std::vector<std::size_t> extrinsic;
  std::vector<std::vector<std::size_t>> levels;  ///< by categorical column of the canonical order
};

/// Items of a canonical order, back where they came from: item i at origin[i].
template <class Items>
Items put_back(const Items& items, const std::vector<std::size_t>& origin) {
  Items out = items;
  using Place = decltype(items.size());  // Eigen's is signed
  for (std::size_t i = 0; i < origin.size(); ++i)
    out[static_cast<Place>(origin[i])] = items[static_cast<Place>(i)];
  return out;
}

}  // namespace perfmodel
