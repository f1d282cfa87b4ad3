#pragma once

#include <cstddef>

namespace perfmodel {

/// Rows that stay with the processes of a job are in so many blocks, whatever the number of
/// processes: what is added up over rows is that of blocks, in the order of these, so that no bit
/// of it depends on who has them.
constexpr std::size_t kBlocks = 256;

/// The first block of a process; it has those up to the first of the next.
constexpr std::size_t first_block(std::size_t process, std::size_t processes) {
  return kBlocks * process / processes;
}

}  // namespace perfmodel
