#include "base/tasks/exchange.hpp"

#include <bit>
#include <cstddef>
#include <utility>

namespace perfmodel {

std::vector<std::string> exchange_messages(Processes& processes,
                                           std::vector<std::string> messages) {
  const std::size_t own = processes.number();
  std::vector<std::string> out(processes.count());
  out[own] = std::move(messages[own]);
  for (std::size_t round = 1; round < std::bit_ceil(processes.count()); ++round) {
    const std::size_t partner = own ^ round;
    if (partner >= processes.count())
      continue;
    if (own < partner)
      processes.send(partner, messages[partner]);
    out[partner] = processes.receive(partner);
    if (own > partner)
      processes.send(partner, messages[partner]);
    std::string().swap(messages[partner]);
  }
  return out;
}

}  // namespace perfmodel
