#include "perfmodel/model/columns/failed_runs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "data/column_numbers.hpp"
#include "model/columns/failure_words.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostLinesKept = 5;
constexpr std::size_t kMostReasonsNamed = 6;

constexpr std::array<std::string_view, 28> kFailed = {
    "",        "na",        "n/a",      "#n/a",    "nan",       "null",    "nil",
    "none",    "_",         "?",        "inf",     "infinity",  "fail",    "failed",
    "failure", "err",       "error",    "crash",   "oom",       "killed",  "out_of_memory",
    "crashed", "cancelled", "canceled", "timeout", "timed_out", "skipped", "dnf"};

/// What a longer message of a failure has in it: "CUDA OOM", "torch.OutOfMemoryError".
constexpr std::array<std::string_view, 4> kMessages = {"oom", "outofmemory", "out_of_memory",
                                                       "timeout"};

std::string base_name_of(const std::string& source) {
  return source.substr(source.rfind('/') + 1);
}

/// A column that was text because of cells that are gone.
void make_numeric(Column& column) {
  Column out{column.name, Column::Kind::numeric, numbers_of(column), {}, {}, {}, column.formula};
  column = std::move(out);
}

}  // namespace

bool says_failed(const std::string& cell) {
  if (const auto number = parse_number(cell))
    return *number <= 0;
  std::string word = folded(cell);
  if (word.size() > 1 && (word[0] == '_' || word[0] == '+'))
    word.erase(0, 1);  // the sign of "-inf"
  return std::find(kFailed.begin(), kFailed.end(), word) != kFailed.end() ||
         std::any_of(kMessages.begin(), kMessages.end(), [&](std::string_view message) {
           return word.find(message) != std::string::npos;
         });
}

WithoutFailed without_failed_runs(const Table& table, const std::string& column,
                                  const std::set<std::string>& text_columns) {
  const Column& times = table.at(column);
  std::vector<std::size_t> kept;
  std::map<std::pair<std::string, std::string>, FailedRuns> by_cell;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const bool may_fail = !times.is_numeric() || !(times.numbers[row] > 0);
    const std::string cell = may_fail ? times.text(row) : "";
    if (!may_fail || !says_failed(cell)) {
      kept.push_back(row);
      continue;
    }
    const std::string file =
        base_name_of(table.file.empty() ? table.source : table.sources[table.file[row]]);
    FailedRuns& failed = by_cell[{file, cell}];
    failed.file = file;
    failed.cell = cell;
    ++failed.rows;
    if (failed.lines.size() < kMostLinesKept)
      failed.lines.push_back(table.lines[row]);
  }
  if (by_cell.empty())
    return {table, {}};
  WithoutFailed out{take_rows(table, kept), {}};
  for (Column& each : out.table.columns)
    if (!each.is_numeric() && !text_columns.contains(each.name) &&
        std::all_of(each.levels.begin(), each.levels.end(),
                    [](const std::string& level) { return parse_number(level).has_value(); }))
      make_numeric(each);
  for (auto& [key, failed] : by_cell)
    out.failed.push_back(std::move(failed));
  return out;
}

std::string words_for(const std::vector<FailedRuns>& failed, const std::string& column,
                      std::size_t rows) {
  const bool one_file = std::all_of(failed.begin(), failed.end(), [&](const FailedRuns& runs) {
    return runs.file == failed.front().file;
  });
  std::size_t all = 0;
  std::vector<std::string> reasons;
  for (const FailedRuns& runs : failed) {
    all += runs.rows;
    std::vector<std::string> lines;
    for (const std::uint32_t line : runs.lines)
      lines.push_back(std::to_string(line));
    lines.resize(runs.rows);  // those that are not kept are counted
    reasons.push_back((runs.cell.empty() ? "blank" : quoted_cell(runs.cell)) + " in " +
                      std::to_string(runs.rows) + " (" + (one_file ? "" : runs.file + ", ") +
                      (runs.rows == 1 ? "line " : "lines ") + enumerated(lines, kMostLinesKept) +
                      ")");
  }
  return (one_file ? failed.front().file + ": " : "") + std::to_string(all) + " of " +
         std::to_string(rows) + " runs failed and are left out: '" + column + "' is " +
         enumerated(reasons, kMostReasonsNamed);
}

}  // namespace perfmodel
