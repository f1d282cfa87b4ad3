#pragma once

#include <optional>
#include <string>

#include "base/tasks/processes.hpp"
#include "pipeline/large/large_runs.hpp"

namespace perfmodel {

/// The whole file in this process.
LabelledRuns read_large_runs(const LargeRuns& runs, const std::string& path,
                             const ReadProgress& progress = {});

/// The same with the processes of a job, each of which reads its share; they put their parts
/// together in pairs. Only process 0 has the runs, which know no digest of the file. What another
/// one throws while it reads is thrown there.
std::optional<LabelledRuns> read_large_runs(const LargeRuns& runs, Processes& processes,
                                            const ReadProgress& progress = {});

}  // namespace perfmodel
