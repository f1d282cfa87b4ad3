#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/tasks/processes.hpp"
#include "io/large/large_csv.hpp"
#include "io/large/spread_lines.hpp"
#include "perfmodel/pipeline/fit_runs.hpp"

namespace perfmodel {

/// Files of more bytes are read with equal rows merged where all that is asked for is known of
/// merged ones.
constexpr std::uint64_t kLargeFile = std::uint64_t{1} << 30;

/// Rows of a file with moments that its errors are measured on.
constexpr std::size_t kJudgedRows = 100'000;

/// Rows that are taken apart again at most.
constexpr std::size_t kMostSingleRows = std::size_t{1} << 22;

/// Whether the distinct rows of a file stay with the processes of a job.
enum class RowSpread { never, where_too_many, always };

/// How the rows of a file come into memory.
struct LargeRunsRequest {
  bool merge = false;                        ///< equal rows as one
  std::optional<std::size_t> sample_rows{};  ///< so many, drawn at random
  /// What merged rows are taken apart again for after reading; empty where they stay.
  Sentence single_rows_for{};
  std::size_t most_single_rows = kMostSingleRows;
  MergeLimits limits{};
  RowSpread spread = RowSpread::never;
};

/// The reading of a large file, in parts that may be of several processes.
class LargeRuns {
 public:
  /// Throws UsageError for what merged rows cannot have, InputError for the first rows.
  LargeRuns(const std::string& path, const RoleRequest& roles, std::optional<char> separator,
            const LargeRunsRequest& request, const FitOptions& options);

  /// The share number `part` of `parts` of the file.
  LargePart read(std::size_t part, std::size_t parts, const ReadProgress& progress = {}) const;
  /// Nothing of a file.
  PipedLines* pipe() const { return beginning_.pipe.get(); }
  /// A part of no lines.
  const LargePart& empty() const { return empty_; }
  /// From all parts, put together in their order, to what a fit takes.
  LabelledRuns labelled(const LargePart& whole, std::string sha256) const;

  /// The same with rows that stay with the processes of a job: its table has some of them.
  SpreadLines read_spread(Processes& processes, const ReadProgress& progress = {}) const;
  LabelledRuns labelled(const SpreadLines& lines) const;
  /// The rows of a block.
  Table table_of_block(const MergedLines& block) const;
  RowSpread spread() const { return request_.spread; }

 private:
  RoleRequest roles_;
  LargeRunsRequest request_;
  std::size_t threads_;
  CsvBeginning beginning_;
  std::size_t time_ = 0;
  MergedTimes times_ = MergedTimes::distinct;
  LargePart empty_;

  LineLayout layout() const;
  /// Beside so many others.
  std::string words_of_failed(const RunsFile& file, std::size_t others) const;
};

}  // namespace perfmodel
