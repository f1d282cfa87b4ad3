#pragma once

#include <cstddef>
#include <functional>

namespace perfmodel {

/// Told how many bytes of all have been read, from one thread at a time.
using ReadProgress = std::function<void(std::size_t done, std::size_t all)>;

}  // namespace perfmodel
