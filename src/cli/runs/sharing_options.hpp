#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/tasks/shard.hpp"
#include "io/parts/task_results.hpp"
#include "pipeline/shared/task_share.hpp"

namespace perfmodel::cli {

class OptionSet;

/// All results of the tasks of a command, as merge puts them together.
struct MergedTasks {
  std::string common;  ///< the header that the command must arrive at, too
  TaskShare share;
};

/// Of a command whose tasks several calls can share.
struct SharingArguments {
  std::optional<Shard> shard;
  bool resume = false;
  // Set by the program:
  std::string settings;              ///< options that a result depends on, in a fixed order
  std::vector<std::string> command;  ///< the same with the name and the inputs, as words
  const MergedTasks* merged = nullptr;
};

/// The value of a variable of the environment; null where it is not set.
using EnvironmentVariable = std::function<const char*(const char* name)>;

/// "2/8", or "auto": as Open MPI, an MPI with PMI (MPICH, Intel), a Slurm array or srun says which
/// of its tasks this is; a single one where there is none of them. Throws OptionError.
Shard parse_shard(const std::string& text, const EnvironmentVariable& environment);

/// `--shard`; `tasks` says what is shared.
void add_shard(OptionSet& app, std::optional<Shard>& shard, const std::string& tasks);
/// `--resume`.
void add_resume(OptionSet& app, bool& resume);

/// "part-{shard}.jsonl" is "part-3.jsonl" of the third shard.
std::string path_of_shard(std::string path, const std::optional<Shard>& shard);

/// Throws UsageError where shards would write to one place, where they would judge what only all
/// of them know, and where nothing is there to go on with.
void check_sharing(const SharingArguments& arguments, const std::string& output, bool has_gates);

/// Of the program, the runs and everything else that a result depends on.
std::string job_digest(const SharingArguments& arguments, const std::string& tool,
                       const std::vector<std::string>& inputs);

}  // namespace perfmodel::cli
