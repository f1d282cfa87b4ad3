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

/// Calls body(0), ..., body(count - 1), on up to `threads` threads. Each call must write to places
/// of its own; then no result depends on the number of threads. All calls are made; afterwards the
/// exception of the lowest index, if any, is thrown. Inside another parallel_for the calls run one
/// by one on the calling thread.
void parallel_for(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t)>& body);

/// Whether the calling thread works for a parallel_for.
bool inside_parallel_for();

/// As many threads as there is room for the stacks of, where the memory that may be mapped is
/// bounded (`ulimit -v`): OpenMP ends the program where it cannot start one.
std::size_t threads_with_room(std::size_t wanted);

/// Independent tasks on up to `threads` threads whose results are taken in the order of their
/// numbers, each as soon as all before it are there, by one thread at a time. `make` returns
/// nothing for a task that was not done: it and those after it are not taken. What `take` throws
/// ends the tasks that have not begun and is thrown.
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
      failed = true;  // until it has been taken
      take(next, std::move(first));
      failed = false;
      ++next;
    }
  });
}

/// Every n-th task of a job: those whose number modulo `of` is `index`.
struct Shard {
  std::size_t index = 0;
  std::size_t of = 1;

  bool has(std::size_t task) const { return task % of == index; }
  bool operator==(const Shard&) const = default;
};

/// "2/8": shards count from 1 for people.
inline std::string to_text(const Shard& shard) {
  return std::to_string(shard.index + 1) + "/" + std::to_string(shard.of);
}

/// Like parallel_for(), over stripes of so many consecutive places; for one thread, all are one.
void for_each_stripe(std::ptrdiff_t count, std::ptrdiff_t width, std::size_t threads,
                     const std::function<void(std::ptrdiff_t begin, std::ptrdiff_t end)>& visit);

/// Which of several tasks are done here, where several calls share them: as it stands, all.
template <class Result>
struct TaskHooks {
  std::function<bool(std::size_t)> is_own;                         ///< empty: each is
  std::function<std::optional<Result>(std::size_t)> known;         ///< what is there already
  std::function<void(std::size_t, const Result&)> done = nullptr;  ///< in the order of the numbers
};

/// The results of `count` tasks that are pure functions of their numbers: what is known, and what
/// `make` gives for the own ones, on up to `threads` threads. `make` returns nothing for a task
/// that was not done; it and those after it stay empty, as those of others do. `finished` is told
/// how many of the open ones are done, from one thread at a time.
template <class Result>
std::vector<std::optional<Result>> run_tasks(
    std::size_t count, std::size_t threads, const TaskHooks<Result>& hooks,
    const std::function<std::optional<Result>(std::size_t)>& make,
    const std::function<void(std::size_t)>& finished = nullptr) {
  std::vector<std::optional<Result>> out(count);
  std::vector<std::size_t> open;
  for (std::size_t task = 0; task < count; ++task) {
    if (hooks.known)
      out[task] = hooks.known(task);
    if (!out[task] && (!hooks.is_own || hooks.is_own(task)))
      open.push_back(task);
  }
  std::size_t done = 0;
  parallel_in_order<Result>(
      open.size(), threads, [&](std::size_t k) { return make(open[k]); },
      [&](std::size_t k, Result result) {
        if (hooks.done)
          hooks.done(open[k], result);
        out[open[k]] = std::move(result);
        ++done;
        if (finished)
          finished(done);
      });
  return out;
}

/// What was compiled for these instructions, of the same thing compiled for each.
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
