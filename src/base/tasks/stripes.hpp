#pragma once

#include <cstddef>
#include <functional>

namespace perfmodel {

/// Like parallel_for(), over stripes of so many consecutive places; for one thread, all are one.
void for_each_stripe(std::ptrdiff_t count, std::ptrdiff_t width, std::size_t threads,
                     const std::function<void(std::ptrdiff_t begin, std::ptrdiff_t end)>& visit);

}  // namespace perfmodel
