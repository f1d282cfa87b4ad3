#pragma once

#include <cstddef>
#include <functional>

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

}  // namespace perfmodel
