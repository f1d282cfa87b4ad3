#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/tasks/in_order.hpp"

namespace perfmodel {

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

}  // namespace perfmodel
