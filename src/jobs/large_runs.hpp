#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "perfmodel/fit.hpp"

namespace perfmodel {

/// Larger files (in bytes) are read with equal rows merged if everything requested supports merged
/// rows.
constexpr std::uint64_t kLargeFile = std::uint64_t{1} << 30;

/// Most rows to which merged rows are expanded again.
constexpr std::size_t kMostSingleRows = std::size_t{1} << 22;

struct LargeRunsRequest {
  bool merge = false;                        ///< merges equal rows
  std::optional<std::size_t> sample_rows{};  ///< number of rows to draw at random
  /// Why merged rows are expanded again after reading, for messages; empty if they are not.
  Sentence single_rows_for{};
  std::size_t most_single_rows = kMostSingleRows;
  std::size_t most_different_rows = 4'000'000;  ///< most distinct rows when merging
};

/// Reads a large file, with equal rows merged or sampled. Throws UsageError if merged rows do not
/// support a request, and InputError for malformed rows and too many of them.
LabelledRuns read_large_runs(const std::string& path, const RoleRequest& roles,
                             const InputOptions& input, const LargeRunsRequest& request,
                             const FitOptions& options, const ReadProgress& progress = {});

/// The requested options that need every row at its place in the file; empty if there are none.
Sentence needs_rows_of_file(const FitRequest& request);
/// The requested options that need every run as a row, in any order; empty if there are none.
Sentence needs_single_rows(const FitRequest& request);

}  // namespace perfmodel
