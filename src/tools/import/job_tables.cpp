#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "import/readers.hpp"
#include "perfmodel/columns.hpp"
#include "roles/column_facts.hpp"
#include "roles/cut_runs.hpp"
#include "roles/quantities.hpp"
#include "roles/vocabulary.hpp"
#include "sources/csv.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kHeaderBytes = 65536;

std::string_view first_line(std::string_view bytes) {
  bytes = without_byte_order_mark(bytes);
  return take_csv_line(bytes);
}

std::vector<std::string> header_of(std::string_view bytes) {
  std::string line(first_line(bytes));
  std::vector<std::string_view> fields;
  split_fields(line, separator_of(bytes.substr(0, kHeaderBytes)), fields);
  return {fields.begin(), fields.end()};
}

/// Whether the header ends in '|', as that of `sacct -p` does, but does not begin so.
bool ends_in_separator(std::string_view bytes, const std::vector<std::string>& names) {
  const std::string_view line = first_line(bytes);
  return names.size() > 1 && names.back().empty() && line.ends_with('|') && !line.starts_with('|');
}

bool is_job_header(const std::vector<std::string>& names) {
  const auto has = [&](std::string_view name) { return contains(names, name); };
  return (has("JobID") && has("State")) || (has("task_id") && has("status") && has("realtime"));
}

/// Whether all jobs are in states that Slurm or Nextflow has: other programs use such names of
/// columns as well.
bool are_states(const Column& column, bool of_slurm) {
  constexpr WordList kOfSlurm{
      "BOOT_FAIL CANCELLED COMPLETED COMPLETING CONFIGURING DEADLINE FAILED NODE_FAIL "
      "OUT_OF_MEMORY PENDING PREEMPTED REQUEUED RESIZING REVOKED RUNNING SUSPENDED TIMEOUT"};
  constexpr WordList kOfNextflow{"COMPLETED CACHED FAILED ABORTED NEW SUBMITTED RUNNING"};
  return std::ranges::all_of(column.levels, [&](const std::string& level) {
    return (of_slurm ? kOfSlurm : kOfNextflow)
        .has(std::string_view(level).substr(0, level.find(' ')));
  });
}

/// "1500 ms" of "1500", as Nextflow writes times with trace.raw.
std::string with_time_unit(const std::string& name, const std::string& cell) {
  const bool is_time = name == "duration" || name == "realtime";
  return is_time && parse_number(cell) ? cell + "ms" : cell;
}

/// Removes the separator at the end of each line, which `sacct -p` writes.
std::string without_last_separators(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    std::string_view line = take_csv_line(bytes);
    if (line.ends_with('|'))
      line.remove_suffix(1);
    out += line;
    out += '\n';
  }
  return out;
}

double size_of(const std::string& cell) {
  const auto quantity = parse_quantity(cell);
  return quantity ? quantity->value : parse_number(cell).value_or(-1);
}

void join_step(const RowCells& step, RowCells& job) {
  for (std::size_t i = 0; i < job.size(); ++i) {
    auto& [name, cell] = job[i];
    if ((name.starts_with("Max") || name.starts_with("Ave")) &&
        size_of(step[i].second) > size_of(cell))
      cell = step[i].second;
  }
}

/// Columns of Nextflow with the names of results that say what was asked for.
constexpr WordList kRequested{"memory time disk cpus"};

}  // namespace

std::string binary_size(std::string cell) {
  const bool has_prefix =
      cell.size() > 2 && cell.ends_with('B') &&
      std::string_view("KMGTP").find(cell[cell.size() - 2]) != std::string::npos;
  if (has_prefix && parse_quantity(cell))
    cell.insert(cell.size() - 1, "i");
  return cell;
}

bool is_job_table(std::string_view beginning) {
  const std::vector<std::string> names = header_of(beginning);
  return is_job_header(names) || ends_in_separator(beginning, names);
}

std::optional<std::string> joined_job_table(std::string_view bytes, const std::string& source) {
  const std::vector<std::string> names = header_of(bytes);
  if (ends_in_separator(bytes, names)) {
    std::string text = without_last_separators(bytes);
    auto joined = joined_job_table(text, source);
    return joined ? std::move(joined) : std::move(text);
  }
  if (!is_job_header(names))
    return std::nullopt;
  const Table table = parse_csv(bytes, source, {names.begin(), names.end()});
  const bool of_slurm = table.find("JobID") != nullptr;
  const Column& id = table.at(of_slurm ? "JobID" : "task_id");
  const Column& state = table.at(of_slurm ? "State" : "status");
  if (!are_states(state, of_slurm))
    return std::nullopt;
  const Column* const exit = table.find("exit");  // Nextflow's states do not tell "out of memory"
  const bool names_gp = !of_slurm && table.find("process") == nullptr;
  std::vector<RowCells> jobs;
  std::vector<std::string> failures;
  std::map<std::string, std::size_t> place_of;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    RowCells cells;
    for (const Column& column : table.columns) {
      cells.emplace_back(
          column.name,
          of_slurm ? column.text(row) : with_time_unit(column.name, binary_size(column.text(row))));
      if (column.name == "name" && names_gp)
        cells.emplace_back("process", cells.back().second.substr(0, column.text(row).find(" (")));
    }
    const std::string step = id.text(row);
    const std::string job = of_slurm ? step.substr(0, step.find('.')) : step;
    if (const auto known = place_of.find(job); known != place_of.end() && job != step) {
      join_step(cells, jobs[known->second]);
      continue;
    }
    place_of[job] = jobs.size();
    const std::string words = state.text(row);  // "CANCELLED by 1000"
    failures.push_back(failure_of(words.substr(0, words.find(' '))));
    const std::string ended_by = exit == nullptr ? "" : failure_of(exit->text(row));
    if (!failures.back().empty() && ran_out_of(ended_by) != RanOutOf::nothing)
      failures.back() = ended_by;
    jobs.push_back(std::move(cells));
  }
  std::set<std::string> measured;
  for (const std::string& name : names)
    if ((names_measured(name) || denotes(name, "s")) && name != state.name && !kRequested.has(name))
      measured.insert(name);
  NamedRows out;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    for (auto& [name, cell] : jobs[job])
      if (!failures[job].empty() && measured.contains(name))
        cell = failures[job];
    out.add(jobs[job]);
  }
  return out.csv();
}

}  // namespace perfmodel
