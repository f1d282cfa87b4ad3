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
  std::optional<std::size_t> sample_rows;
};

/// `--merge-rows` and `--sample-rows`.
void add_large_options(OptionSet& app, LargeRowsArguments& arguments);

/// Nothing where the rows are read one by one. Throws UsageError where what is asked for needs that
/// and something else is asked for, too.
std::optional<LargeRunsRequest> large_runs_request(const LargeRowsArguments& arguments,
                                                   const std::vector<std::string>& paths,
                                                   const FitRequest& request);

}  // namespace perfmodel::cli
