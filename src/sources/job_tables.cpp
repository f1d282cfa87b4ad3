#include "sources/job_tables.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "sources/csv.hpp"
#include "sources/source.hpp"
#include "table/column_facts.hpp"
#include "table/left_out.hpp"
#include "table/quantities.hpp"

namespace perfmodel {
namespace {

using Cells = std::vector<std::string>;

constexpr std::array kSeparators = {'|', '\t', ','};

/// Removes the next line that is not blank from a text; without fields at its end.
Cells next_fields(std::string_view& rest, char separator) {
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r'))
      line.pop_back();
    std::vector<std::string_view> fields;
    if (!line.empty() && split_fields(line, separator, fields) == FieldsEnd::complete)
      return {fields.begin(), fields.end()};
    if (!line.empty())
      return {line};
  }
  return {};
}

/// Places of columns of a table of jobs.
struct JobColumns {
  char separator = ',';
  Cells names;
  bool of_slurm = false;
  std::size_t id = 0;
  std::size_t state = 0;
  std::optional<std::size_t> task_name;  ///< "ALIGN (sample 1)", if no column has the process
  std::vector<std::size_t> measured;
};

std::optional<std::size_t> place_of(const Cells& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(to_size(found - names.begin()));
}

/// The columns of a header; nullopt if it is not one of a table of jobs.
std::optional<JobColumns> columns_of(std::string_view bytes, char separator) {
  JobColumns out;
  out.separator = separator;
  out.names = next_fields(bytes, separator);
  Cells& names = out.names;
  if (!names.empty() && names.back().empty())  // `sacct --parsable` ends each line with a '|'
    names.pop_back();
  out.of_slurm = place_of(names, "JobID").has_value();
  const auto id = place_of(names, out.of_slurm ? "JobID" : "task_id");
  const auto state = place_of(names, out.of_slurm ? "State" : "status");
  if (!id || !state || (!out.of_slurm && !place_of(names, "realtime")))
    return std::nullopt;
  out.id = *id;
  out.state = *state;
  if (!out.of_slurm && !place_of(names, "process"))
    out.task_name = place_of(names, "name");
  for (std::size_t i = 0; i < names.size(); ++i)
    if (i != out.state && is_result_of_tool(names[i], names))
      out.measured.push_back(i);
  return out;
}

std::optional<JobColumns> columns_of(std::string_view bytes) {
  for (const char separator : kSeparators)
    if (auto found = columns_of(bytes, separator))
      return found;
  return std::nullopt;
}

double size_of(const std::string& cell) {
  const auto quantity = parse_quantity(cell);
  return quantity ? quantity->value : parse_number(cell).value_or(-1);
}

/// Fills the blank measured cells of a job with those of a step, if these are larger than of
/// earlier steps. `from_steps`: which cells are from steps.
void join_step(const JobColumns& columns, const Cells& step, Cells& job,
               std::vector<bool>& from_steps) {
  for (const std::size_t i : columns.measured) {
    if (!(job[i].empty() || (from_steps[i] && size_of(step[i]) > size_of(job[i]))))
      continue;
    job[i] = step[i];
    from_steps[i] = true;
  }
}

/// "timeout" of "TIMEOUT", "cancelled" of "CANCELLED by 1000"; empty for a job that completed.
std::string failure_of(const std::string& state) {
  const std::string word = folded(state.substr(0, state.find(' ')));
  if (word == "completed" || word == "cached")
    return "";
  return says_failed(word) && !word.empty() ? word : "failed";
}

NamedRows rows_of(const JobColumns& columns, const std::vector<Cells>& jobs) {
  NamedRows out;
  for (Cells job : jobs) {
    if (const std::string failure = failure_of(job[columns.state]); !failure.empty())
      for (const std::size_t i : columns.measured)
        job[i] = failure;
    std::vector<NamedRows::Cell> row;
    for (std::size_t i = 0; i < job.size(); ++i)
      row.emplace_back(columns.names[i], job[i]);
    if (columns.task_name) {
      const std::string& name = job[*columns.task_name];
      row.emplace_back("process", name.substr(0, name.find(" (")));
    }
    out.add(row);
  }
  return out;
}

}  // namespace

bool is_job_table(std::string_view beginning) {
  return columns_of(beginning).has_value();
}

std::optional<std::string> joined_job_table(std::string_view bytes) {
  const auto columns = columns_of(bytes);
  if (!columns)
    return std::nullopt;
  next_fields(bytes, columns->separator);  // the header
  std::vector<Cells> jobs;
  std::vector<std::vector<bool>> from_steps;
  std::map<std::string, std::size_t> place_of_job;
  for (;;) {
    Cells cells = next_fields(bytes, columns->separator);
    if (cells.empty())
      break;
    if (cells.size() == columns->names.size() + 1 && cells.back().empty())
      cells.pop_back();
    if (cells.size() != columns->names.size())
      return std::nullopt;
    std::string& id = cells[columns->id];
    const std::size_t step = columns->of_slurm ? id.find('.') : id.npos;
    const std::string of_job = id.substr(0, step);
    const auto known = place_of_job.find(of_job);
    if (step != id.npos && known != place_of_job.end()) {
      join_step(*columns, cells, jobs[known->second], from_steps[known->second]);
      continue;
    }
    id = of_job;
    place_of_job[of_job] = jobs.size();
    from_steps.emplace_back(cells.size(), false);
    jobs.push_back(std::move(cells));
  }
  return rows_of(*columns, jobs).csv();
}

}  // namespace perfmodel
