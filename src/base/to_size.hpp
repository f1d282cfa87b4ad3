#pragma once

#include <cstddef>

namespace perfmodel {

/// What Eigen counts, as a size of a standard container.
constexpr std::size_t to_size(std::ptrdiff_t count) {
  return static_cast<std::size_t>(count);
}

}  // namespace perfmodel
