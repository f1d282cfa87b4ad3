#include "pipeline/shared/task_share.hpp"

#include <utility>

namespace perfmodel {

TaskShare::TaskShare(Shard shard, const std::vector<std::string>& kept, Writer write)
    : shard_(shard), kept_(kept), write_(std::move(write)) {
  for (const std::string& line : kept_) {
    // Whoever kept them has seen that they are the first tasks of the shard.
    const std::size_t task = lines_.empty() ? shard.index : lines_.size() - 1 + shard.of;
    lines_.resize(task + 1);
    lines_[task] = line;
  }
}

TaskShare::TaskShare(std::string source, const std::vector<std::string_view>& lines)
    : source_(std::move(source)), lines_(lines) {}

}  // namespace perfmodel
