#pragma once

#include <string>
#include <vector>

#include "base/tasks/processes.hpp"

namespace perfmodel {

/// A message from every process to every other, to each its own; `messages` says of this one what
/// goes to whom, and what comes back who it is from. Called by all processes together; two of them
/// at a time, so that none waits for another that waits for it.
std::vector<std::string> exchange_messages(Processes& processes, std::vector<std::string> messages);

}  // namespace perfmodel
