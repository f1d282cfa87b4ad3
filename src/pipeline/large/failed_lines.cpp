#include "pipeline/large/failed_lines.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel {
namespace {

/// Of those that failed alike.
constexpr std::size_t kMostFailedLines = 5;

}  // namespace

std::vector<FailedRuns> failed_runs(const CsvBeginning& beginning, const MergedLines& merged) {
  const auto& failed = merged.failed();
  const bool numeric = std::all_of(failed.begin(), failed.end(), [](const auto& each) {
    return parse_number(each.first).has_value();
  });
  std::map<std::string, FailedRuns> by_cell;
  for (const auto& [cell, runs] : failed) {
    const std::string text = numeric ? to_text(*parse_number(cell)) : cell;
    FailedRuns& own = by_cell[text];
    own.file = base_name(beginning.source);
    own.cell = text;
    own.rows += runs.runs;
    for (const std::uint64_t line : runs.lines)
      own.lines.push_back(line_of_file(beginning, line));
    std::sort(own.lines.begin(), own.lines.end());
    own.lines.resize(std::min(own.lines.size(), kMostFailedLines));
  }
  std::vector<FailedRuns> out;
  for (auto& [cell, runs] : by_cell)
    out.push_back(std::move(runs));
  return out;
}

}  // namespace perfmodel
