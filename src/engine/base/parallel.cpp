#include "base/parallel.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

namespace perfmodel {
namespace {

thread_local bool is_worker = false;

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

/// Tries to reserve address space without touching it.
bool can_map(std::size_t bytes) {
  void* const place =
      ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return place != MAP_FAILED && ::munmap(place, bytes) == 0;
}

/// Runs the calls on this thread and as many others as can be started. The threads end with the
/// work: waiting ones would spin and slow down those at work.
void share_out(std::size_t workers, std::size_t count,
               const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    const bool before = std::exchange(is_worker, true);
    for (std::size_t i = next++; i < count; i = next++)
      body(i);
    is_worker = before;
  };
  std::vector<std::jthread> others;
  others.reserve(workers - 1);
  try {
    while (others.size() + 1 < workers)
      others.emplace_back(work);
  } catch (const std::system_error&) {  // fewer threads do as well
  }
  work();
}

}  // namespace

bool inside_parallel_for() {
  return is_worker;
}

std::size_t processor_count() {
  return std::max(1U, std::thread::hardware_concurrency());
}

std::size_t threads_with_room(std::size_t wanted) {
  static const bool bounded = is_memory_bounded();
  // Half a stack more per thread, for the data that threads work on.
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
  const std::size_t workers =
      inside_parallel_for() ? 1 : threads_with_room(std::min(threads, count));
  if (workers <= 1)
    for (std::size_t i = 0; i < count; ++i)
      guarded(i);
  else
    share_out(workers, count, guarded);
  for (const std::exception_ptr& exception : thrown)
    if (exception)
      std::rethrow_exception(exception);
}

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

std::vector<InstructionSet> available_instruction_sets() {
  std::vector<InstructionSet> out = {InstructionSet::baseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    out.push_back(InstructionSet::avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
      out.push_back(InstructionSet::avx512);
  }
#endif
  return out;
}

InstructionSet best_instruction_set() {
  static const InstructionSet best = available_instruction_sets().back();
  return best;
}

}  // namespace perfmodel
