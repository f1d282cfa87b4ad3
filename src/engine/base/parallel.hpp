#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfmodel/progress.hpp"

namespace perfmodel {

/// Calls body(0), ..., body(count - 1) on up to `threads` threads. No two calls may write to the
/// same object; then the result does not depend on the number of threads. All calls are made;
/// afterwards the exception of the lowest index, if any, is rethrown. Within another parallel_for
/// the calls run one after the other on the calling thread.
void parallel_for(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t)>& body);

/// Whether the calling thread works for a parallel_for.
bool inside_parallel_for();

/// The number of processors, or 1 if it cannot be had.
std::size_t processor_count();

/// The number of threads, at most `wanted`, whose stacks fit if address space is limited (`ulimit
/// -v`): OpenMP ends the program if it cannot start a thread.
std::size_t threads_with_room(std::size_t wanted);

/// Runs independent tasks on up to `threads` threads and passes their results to `take` in the
/// order of the tasks, each as soon as all before it are done, by one thread at a time. If `make`
/// returns nullopt, the task was not done: neither it nor later ones are taken. If `take` throws,
/// no further tasks begin and the exception is rethrown.
template <class Result>
void parallel_in_order(std::size_t count, std::size_t threads,
                       const std::function<std::optional<Result>(std::size_t)>& make,
                       const std::function<void(std::size_t, Result)>& take) {
  std::mutex mutex;
  std::map<std::size_t, Result> waiting;
  std::size_t next = 0;
  bool failed = false;
  parallel_for(count, threads, [&](std::size_t i) {
    {
      const std::lock_guard lock(mutex);
      if (failed)
        return;
    }
    std::optional<Result> result = make(i);
    if (!result)
      return;
    const std::lock_guard lock(mutex);
    waiting.emplace(i, std::move(*result));
    while (!failed && !waiting.empty() && waiting.begin()->first == next) {
      Result first = std::move(waiting.begin()->second);
      waiting.erase(waiting.begin());
      failed = true;  // stays true if take() throws
      take(next, std::move(first));
      failed = false;
      ++next;
    }
  });
}

/// Every `of`-th task of a job: those whose number modulo `of` is `index`.
struct Shard {
  std::size_t index = 0;
  std::size_t of = 1;

  bool has(std::size_t task) const { return task % of == index; }
  bool operator==(const Shard&) const = default;
};

/// "2/8": counted from 1 in text.
inline std::string to_text(const Shard& shard) {
  return std::to_string(shard.index + 1) + "/" + std::to_string(shard.of);
}

/// Like parallel_for(), over stripes of `width` consecutive indices; one stripe for one thread.
void for_each_stripe(std::ptrdiff_t count, std::ptrdiff_t width, std::size_t threads,
                     const std::function<void(std::ptrdiff_t begin, std::ptrdiff_t end)>& visit);

/// The results of `count` tasks that are pure functions of their numbers, on up to `threads`
/// threads. A task for which `make` returns nullopt is empty, and so are all later ones. `finished`
/// is called with the number of tasks done, by one thread at a time.
template <class Result>
std::vector<std::optional<Result>> run_tasks(
    std::size_t count, std::size_t threads,
    const std::function<std::optional<Result>(std::size_t)>& make,
    const std::function<void(std::size_t)>& finished = nullptr) {
  std::vector<std::optional<Result>> out(count);
  std::size_t done = 0;
  parallel_in_order<Result>(count, threads, make, [&](std::size_t task, Result result) {
    out[task] = std::move(result);
    ++done;
    if (finished)
      finished(done);
  });
  return out;
}

/// Selects the variant that was compiled for these instructions.
template <class Compiled>
const Compiled& one_for(InstructionSet instructions, const Compiled& baseline, const Compiled& avx2,
                        const Compiled& avx512) {
  switch (instructions) {
    case InstructionSet::avx512:
      return avx512;
    case InstructionSet::avx2:
      return avx2;
    case InstructionSet::baseline:
      break;
  }
  return baseline;
}

}  // namespace perfmodel
