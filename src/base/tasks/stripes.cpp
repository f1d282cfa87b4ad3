#include "base/tasks/stripes.hpp"

#include <algorithm>

#include "base/tasks/parallel.hpp"

namespace perfmodel {

void for_each_stripe(std::ptrdiff_t count, std::ptrdiff_t width, std::size_t threads,
                     const std::function<void(std::ptrdiff_t begin, std::ptrdiff_t end)>& visit) {
  if (threads <= 1 || count <= width || inside_parallel_for()) {
    visit(0, count);
    return;
  }
  parallel_for(static_cast<std::size_t>((count + width - 1) / width), threads,
               [&](std::size_t stripe) {
                 const std::ptrdiff_t begin = static_cast<std::ptrdiff_t>(stripe) * width;
                 visit(begin, std::min(begin + width, count));
               });
}

}  // namespace perfmodel
