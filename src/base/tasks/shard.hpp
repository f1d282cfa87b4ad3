#pragma once

#include <cstddef>
#include <string>

namespace perfmodel {

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

}  // namespace perfmodel
