#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/pipeline/fit_runs.hpp"
#include "pipeline/large/large_runs.hpp"

namespace perfmodel::cli {

class OptionSet;

/// How the rows of large files come into memory.
struct LargeRowsArguments {
  std::optional<bool> merge;  ///< nothing: where the file is large
  bool spread = false;        ///< merged rows stay with the processes of a job
  std::optional<std::size_t> sample_rows;
};

/// `--merge-rows` and `--sample-rows`.
void add_large_options(OptionSet& app, LargeRowsArguments& arguments);

/// Nothing where the rows are read one by one, as those of a job of several processes never are.
/// Throws UsageError where what is asked for needs that and something else is asked for, too.
std::optional<LargeRunsRequest> large_runs_request(const LargeRowsArguments& arguments,
                                                   const std::vector<std::string>& paths,
                                                   const FitRequest& request, bool is_job);

}  // namespace perfmodel::cli
