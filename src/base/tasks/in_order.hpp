#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/tasks/parallel.hpp"

namespace perfmodel {

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

}  // namespace perfmodel
