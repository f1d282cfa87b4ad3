#include "base/parallel.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("every index is called once, for any number of threads, also of nested calls",
          "[parallel]") {
  for (const std::size_t threads : {0U, 1U, 2U, 7U}) {
    std::vector<int> calls(100, 0);
    parallel_for(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
    CHECK(calls == std::vector<int>(100, 1));
  }
  std::vector<int> calls(12, 0);
  parallel_for(
      3, 2, [&](std::size_t i) { parallel_for(4, 2, [&](std::size_t j) { ++calls[4 * i + j]; }); });
  CHECK(calls == std::vector<int>(12, 1));
}

TEST_CASE("a thread knows that it works for others, and no longer once it is alone again",
          "[parallel]") {
  for (const std::size_t threads : {2U, 3U}) {
    std::vector<int> inside(20, 0);
    CHECK_FALSE(inside_parallel_for());
    parallel_for(inside.size(), threads,
                 [&](std::size_t i) { inside[i] = inside_parallel_for() ? 1 : 0; });
    CHECK(inside == std::vector<int>(20, 1));
    CHECK_FALSE(inside_parallel_for());
  }
}

TEST_CASE("the exception of the lowest index is thrown after all calls", "[parallel]") {
  for (const std::size_t threads : {1U, 4U}) {
    std::vector<int> calls(20, 0);
    const auto run = [&] {
      parallel_for(calls.size(), threads, [&](std::size_t i) {
        ++calls[i];
        if (i == 5 || i == 11)
          throw std::runtime_error("call " + std::to_string(i));
      });
    };
    CHECK_THROWS_WITH(run(), "call 5");
    CHECK(calls == std::vector<int>(20, 1));
  }
}
