#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// Runs of which a cell says that they failed, and that are left out.
struct FailedRuns {
  std::string file;  ///< base name
  std::string cell;  ///< "NA", "0"; blank, too
  std::size_t rows = 0;
  std::vector<std::uint32_t> lines;  ///< the first five
};

/// The rows that have a time, or throughput, in this column and those that failed: blank, NA, nan,
/// none, failed, error, oom, timeout and their like, and numbers <= 0. What may be a slip ("1,5")
/// stays, for others to refuse.
struct WithoutFailed {
  Table table;
  std::vector<FailedRuns> failed;
};
WithoutFailed without_failed_runs(const Table& table, const std::string& column,
                                  const std::set<std::string>& text_columns);

/// "runs.csv: 3 of 20 rows failed and are left out: 'time_s' is blank in 2 (lines 4 and 9) and
/// \"NA\" in 1 (line 7)"; `rows`: with those.
std::string words_for(const std::vector<FailedRuns>& failed, const std::string& column,
                      std::size_t rows);

}  // namespace perfmodel
