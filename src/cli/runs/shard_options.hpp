#pragma once

#include <functional>
#include <optional>
#include <string>

#include "io/model/model_set.hpp"

namespace perfmodel::cli {

class OptionSet;

/// The value of a variable of the environment; null where it is not set.
using EnvironmentVariable = std::function<const char*(const char* name)>;

/// "2/8", or "auto": as Open MPI, an MPI with PMI (MPICH, Intel), a Slurm array or srun says which
/// of its tasks this is; a single one where there is none of them. Throws OptionError.
Shard parse_shard(const std::string& text, const EnvironmentVariable& environment);

/// `--shard`.
void add_shard(OptionSet& app, std::optional<Shard>& shard);

}  // namespace perfmodel::cli
