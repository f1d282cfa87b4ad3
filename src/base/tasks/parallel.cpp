#include "base/tasks/parallel.hpp"

#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <vector>

namespace perfmodel {
namespace {

bool is_memory_bounded() {
  rlimit bound = {};
  return ::getrlimit(RLIMIT_AS, &bound) == 0 && bound.rlim_cur != RLIM_INFINITY;
}

std::size_t stack_size() {
  constexpr std::size_t usual = std::size_t{8} << 20;
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0)
    return usual;
  std::size_t size = usual;
  ::pthread_attr_getstacksize(&attributes, &size);
  ::pthread_attr_destroy(&attributes);
  return size;
}

/// Asks for as much without touching it.
bool can_map(std::size_t bytes) {
  void* const place =
      ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return place != MAP_FAILED && ::munmap(place, bytes) == 0;
}

}  // namespace

std::size_t threads_with_room(std::size_t wanted) {
  static const bool bounded = is_memory_bounded();
  // Half as much again, for what threads work on.
  while (bounded && wanted > 1 && !can_map((wanted - 1) * (stack_size() + stack_size() / 2)))
    wanted /= 2;
  return wanted;
}

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
  const bool nested = omp_in_parallel() != 0;
  const std::size_t workers = nested ? 1 : threads_with_room(std::min(threads, count));
  if (workers <= 1) {
    for (std::size_t i = 0; i < count; ++i)
      guarded(i);
  } else {
#pragma omp parallel for schedule(dynamic, 1) num_threads(static_cast <int>(workers))
    for (std::size_t i = 0; i < count; ++i)
      guarded(i);
  }
  for (const std::exception_ptr& exception : thrown)
    if (exception)
      std::rethrow_exception(exception);
}

}  // namespace perfmodel
