#include "base/tasks/exchange.hpp"

#include <thread>

#include "support/catch.hpp"
#include "support/jobs/thread_processes.hpp"

using namespace perfmodel;
using namespace perfmodel::test;

TEST_CASE("each of some processes gets from each what was for it") {
  for (const std::size_t count : {1U, 2U, 3U, 5U, 8U}) {
    Post post;
    std::vector<std::vector<std::string>> got(count);
    {
      std::vector<std::jthread> threads;
      for (std::size_t number = 0; number < count; ++number)
        threads.emplace_back([&, number] {
          ThreadOfPost process(post, number, count);
          std::vector<std::string> messages;
          for (std::size_t to = 0; to < count; ++to)
            messages.push_back(std::to_string(number) + " to " + std::to_string(to));
          got[number] = exchange_messages(process, messages);
        });
    }
    for (std::size_t to = 0; to < count; ++to)
      for (std::size_t from = 0; from < count; ++from)
        CHECK(got[to].at(from) == std::to_string(from) + " to " + std::to_string(to));
  }
}
