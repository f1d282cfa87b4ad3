#include "cli/sets/failed_of_set.hpp"

#include <algorithm>

#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel::cli {

bool FailedOfSet::take_away(LineRows& part) {
  if (!drop_)
    return true;
  const ModelSpec& spec = part.line.model->spec;
  const std::string column = judged_column(part.table, spec);
  OfColumn& known = columns_[column];
  known.rows += part.table.rows();
  WithoutFailed left = without_failed_runs(part.table, column, categorical_columns(spec));
  for (const FailedRuns& failed : left.failed) {
    FailedRuns& all = known.by_cell[{failed.file, failed.cell}];
    all.file = failed.file;
    all.cell = failed.cell;
    all.rows += failed.rows;
    all.lines.insert(all.lines.end(), failed.lines.begin(), failed.lines.end());
  }
  part.table = std::move(left.table);
  return part.table.rows() > 0;
}

std::vector<std::string> FailedOfSet::words() const {
  std::vector<std::string> out;
  for (const auto& [column, known] : columns_) {
    std::vector<FailedRuns> failed;
    for (const auto& [cell, runs] : known.by_cell) {
      failed.push_back(runs);
      std::sort(failed.back().lines.begin(), failed.back().lines.end());
    }
    if (!failed.empty())
      out.push_back(words_for(failed, column, known.rows));
  }
  return out;
}

}  // namespace perfmodel::cli
