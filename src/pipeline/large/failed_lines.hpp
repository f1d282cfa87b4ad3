#pragma once

#include <vector>

#include "io/large/large_csv.hpp"
#include "io/large/merged_lines.hpp"
#include "perfmodel/model/columns/failed_runs.hpp"

namespace perfmodel {

/// The runs that failed among the lines, as those of a whole table: cells that are numbers by their
/// values, where all are.
std::vector<FailedRuns> failed_runs(const CsvBeginning& beginning, const MergedLines& merged);

}  // namespace perfmodel
