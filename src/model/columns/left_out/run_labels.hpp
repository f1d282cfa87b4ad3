#pragma once

#include <vector>

#include "model/columns/facts/column_part.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// Inputs that no flag names and that tell runs apart, not configurations.
struct RunLabels {
  /// Whole numbers, or texts that differ in digits alone, with a name such as "rep", "run_id",
  /// "trial", "visit", "seed", or "iteration" where it counts from 0 or 1.
  std::vector<std::string> repetitions;
  /// Dates and times of day; paths and other texts of which most rows have their own; numbers of
  /// such names as "config_id" and "timestamp".
  std::vector<std::string> labels;
};

/// In the order of the file.
RunLabels find_run_labels(const Table& table, const std::vector<ColumnPart>& parts);

}  // namespace perfmodel
