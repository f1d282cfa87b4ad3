#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/runs/sharing_options.hpp"
#include "io/file/lines_file.hpp"

namespace perfmodel::cli {

/// How many of these tasks, from the first on, an earlier run of the same job left whole behind the
/// header; `visit` sees their lines, and what follows them is taken off the file. Throws InputError
/// where another job left it.
std::size_t kept_tasks(LinesFile& output, const std::string& header,
                       const std::vector<std::size_t>& tasks,
                       const std::function<void(std::string_view line)>& visit);

/// "perfmodel 0.1.0"
std::string tool_name();

/// The numbers of the tasks of a shard; of all where there is none.
std::vector<std::size_t> tasks_of_shard(std::size_t tasks, const std::optional<Shard>& shard);

/// A command whose tasks calls may share: a shard does its own and writes their results, merge
/// gives the command all results and has it make its document of them.
class TaskRun {
 public:
  /// Finds out whether the place of a shard can be written. `inputs` are the files that are read.
  TaskRun(const SharingArguments& arguments, const std::string& output,
          std::vector<std::string> inputs, bool has_gates = false);

  bool is_shard() const { return arguments_.shard.has_value(); }

  /// Once it is known how many tasks there are. Null where nothing is shared. Throws InputError
  /// where results belong to other runs or options than these.
  const TaskShare* begin(std::size_t tasks);

  /// Of a shard: what it was for is done.
  void commit() { output_->commit(); }

 private:
  const SharingArguments& arguments_;
  std::vector<std::string> inputs_;
  std::unique_ptr<LinesFile> output_;
  std::optional<TaskShare> share_;
};

}  // namespace perfmodel::cli
