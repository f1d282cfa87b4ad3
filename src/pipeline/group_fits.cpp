#include "pipeline/group_fits.hpp"

#include <algorithm>
#include <utility>

#include "base/in_order.hpp"
#include "data/table_groups.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

void require_columns(const Table& runs, const std::string& field,
                     const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (runs.find(name) == nullptr)
      throw UsageError(Field{field} + ": " + runs.no_column(name));
}

/// The one that all groups have.
std::string target_of_all(const Table& runs, const RoleRequest& roles) {
  if (roles.throughput)
    return roles.throughput->column;
  if (auto column = measured_column(runs, roles))
    return *std::move(column);
  return resolve_roles(runs, roles).target;  // says why there is none
}

/// The file of a task, as if its rows were all there is; the digest is for later.
RunsFile file_of(const GroupTask& task, const RunsFile& runs, const GroupRequest& groups) {
  RunsFile out;
  out.path = runs.path;
  out.files = runs.files;
  out.table = table_of(task, runs.table, groups);
  return out;
}

std::optional<GroupOutcome> fit_task(const GroupTask& task, const RunsFile& runs,
                                     const std::string& digest, const GroupRequest& groups,
                                     const FitRequest& request) {
  FitRequest own = request;
  if (!request.roles.throughput)
    own.roles.target = task.target;
  own.options.observer = nullptr;
  own.progress = nullptr;
  GroupOutcome out;
  try {
    FitOutcome fitted = fit_runs(file_of(task, runs, groups), own);
    if (fitted.interrupted)
      return std::nullopt;
    out.model = std::move(fitted.model);
    out.model->provenance.sha256 = digest;
  } catch (const Interrupted&) {
    return std::nullopt;
  } catch (const Error& error) {
    out.refused = error.sentence();
  }
  return out;
}

}  // namespace

std::vector<std::string> GroupRequest::key_columns() const {
  std::vector<std::string> out = by;
  if (target_name)
    out.push_back(*target_name);
  return out;
}

std::vector<GroupTask> group_tasks(const Table& runs, GroupRequest& groups,
                                   const RoleRequest& roles) {
  require_columns(runs, "by", groups.by);
  require_columns(runs, "target", groups.targets);
  if (groups.target_name)
    require_columns(runs, "target_name", {*groups.target_name});
  if (groups.targets.empty())
    groups.targets = {target_of_all(runs, roles)};
  if (groups.total && !groups.target_name && runs.find(*groups.total) != nullptr &&
      std::find(groups.targets.begin(), groups.targets.end(), *groups.total) ==
          groups.targets.end())
    groups.targets.push_back(*groups.total);
  std::vector<GroupTask> tasks;
  for (TableGroup& group : groups_of(runs, groups.key_columns())) {
    if (groups.target_name) {
      std::string target = std::move(group.key.back());
      group.key.pop_back();
      tasks.push_back(
          {std::move(group.key), std::move(target), groups.targets.front(), std::move(group.rows)});
      continue;
    }
    for (const std::string& target : groups.targets)
      tasks.push_back({group.key, target, target, group.rows});
  }
  return tasks;
}

std::optional<SetTotal> total_of(const GroupRequest& groups, const std::vector<GroupTask>& tasks) {
  if (!groups.total)
    return std::nullopt;
  const std::string& name = *groups.total;
  std::vector<SetTotal> found;
  if (std::any_of(tasks.begin(), tasks.end(),
                  [&](const GroupTask& task) { return task.target == name; }))
    found.push_back({std::nullopt, name});
  for (std::size_t i = 0; i < groups.by.size(); ++i)
    if (std::any_of(tasks.begin(), tasks.end(),
                    [&](const GroupTask& task) { return task.key[i] == name; }))
      found.push_back({groups.by[i], name});
  if (found.size() != 1) {
    throw UsageError(Field{"total"} + ": '" + name + "' is " +
                     (found.empty() ? "no target, no column and no text of a key column"
                                    : "a target or text of several columns"));
  }
  return found.front();
}

Table table_of(const GroupTask& task, const Table& runs, const GroupRequest& groups) {
  std::vector<std::string> without = groups.key_columns();
  for (const std::string& target : groups.targets)
    if (target != task.column)
      without.push_back(target);
  Table table = take_rows(runs, task.rows);
  std::erase_if(table.columns, [&](const Column& column) {
    return std::find(without.begin(), without.end(), column.name) != without.end();
  });
  for (Column& column : table.columns)
    if (column.name == task.column)
      column.name = task.target;
  return table;
}

void fit_groups(const RunsFile& runs, const std::string& digest, const GroupRequest& groups,
                const std::vector<GroupTask>& tasks, const std::vector<std::size_t>& numbers,
                const FitRequest& request,
                const std::function<void(std::size_t, GroupOutcome)>& take) {
  parallel_in_order<GroupOutcome>(
      numbers.size(), request.options.threads,
      [&](std::size_t i) -> std::optional<GroupOutcome> {
        if (request.options.stop.stop_requested())
          return std::nullopt;
        return fit_task(tasks[numbers[i]], runs, digest, groups, request);
      },
      [&](std::size_t i, GroupOutcome outcome) { take(numbers[i], std::move(outcome)); });
}

}  // namespace perfmodel
