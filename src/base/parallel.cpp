#include "perfmodel/base/parallel.hpp"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <vector>

namespace perfmodel {

void parallel_for(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t)>& body) {
  std::vector<std::exception_ptr> thrown(count);
  const auto guarded = [&](std::size_t i) {
    try {
      body(i);
    } catch (...) {
      thrown[i] = std::current_exception();
    }
  };
  const std::size_t workers = std::min(threads, count);
  if (workers <= 1 || omp_in_parallel() != 0) {
    for (std::size_t i = 0; i < count; ++i)
      guarded(i);
  } else {
#pragma omp parallel for schedule(dynamic, 1) num_threads(static_cast <int>(workers))
    for (std::size_t i = 0; i < count; ++i)
      guarded(i);
  }
  for (const std::exception_ptr& exception : thrown) {
    if (exception)
      std::rethrow_exception(exception);
  }
}

}  // namespace perfmodel
