#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "perfmodel/fit.hpp"
#include "sources/large_csv.hpp"

namespace perfmodel {

/// Files of more bytes are read with equal rows merged where all that is asked for is known of
/// merged ones.
constexpr std::uint64_t kLargeFile = std::uint64_t{1} << 30;

/// Rows that are taken apart again at most.
constexpr std::size_t kMostSingleRows = std::size_t{1} << 22;

/// How the rows of a file come into memory.
struct LargeRunsRequest {
  bool merge = false;                        ///< equal rows as one
  std::optional<std::size_t> sample_rows{};  ///< so many, drawn at random
  /// What merged rows are taken apart again for after reading; empty where they stay.
  Sentence single_rows_for{};
  std::size_t most_single_rows = kMostSingleRows;
  std::size_t most_different_rows = 4'000'000;  ///< that are merged
};

/// The reading of a large file.
class LargeRuns {
 public:
  /// Throws UsageError for what merged rows cannot have, InputError for the first rows.
  LargeRuns(const std::string& path, const RoleRequest& roles, std::optional<char> separator,
            const LargeRunsRequest& request, const FitOptions& options);

  /// What a fit takes.
  LabelledRuns read(const ReadProgress& progress = {}) const;

 private:
  RoleRequest roles_;
  LargeRunsRequest request_;
  std::size_t threads_;
  CsvBeginning beginning_;
  LineSink empty_;

  LineKey key() const;
  LabelledRuns labelled(const LineSink& whole, std::string sha256) const;
};

/// What is asked for that needs every row where it stands in the file; empty where nothing is.
Sentence needs_rows_of_file(const FitRequest& request);
/// What is asked for that needs every run as a row, wherever that stands.
Sentence needs_single_rows(const FitRequest& request);

}  // namespace perfmodel
