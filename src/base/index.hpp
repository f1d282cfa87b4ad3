#pragma once

#include <cstddef>

namespace perfmodel {

/// A position in a standard container as Eigen counts them.
constexpr std::ptrdiff_t index(std::size_t i) {
  return static_cast<std::ptrdiff_t>(i);
}

}  // namespace perfmodel
