#include "pipeline/group_fits.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "base/tasks/in_order.hpp"
#include "data/column_numbers.hpp"
#include "data/table_groups.hpp"
#include "io/file/digest.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/model/columns/throughput.hpp"
#include "pipeline/group_index.hpp"

namespace perfmodel {
namespace {

void require_columns(const Table& runs, const std::string& field,
                     const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (runs.find(name) == nullptr)
      throw UsageError(Field{field} + ": " + runs.no_column(name));
    if (std::count(names.begin(), names.end(), name) > 1)
      throw UsageError(Field{field} + ": '" + name + "' is given twice");
  }
}

/// What tells the groups apart is the same within each.
void refuse_keys(const GroupRequest& groups, const std::string& field,
                 const std::vector<std::string>& names) {
  for (const std::string& name : names)
    for (const auto& [key, columns] :
         {std::pair("by", groups.by),
          std::pair("target_name", groups.target_name ? std::vector{*groups.target_name}
                                                      : std::vector<std::string>())})
      if (std::find(columns.begin(), columns.end(), name) != columns.end())
        throw UsageError(Field{field} + ": '" + name +
                         "' plays no part in the models of the groups " + "that it tells apart (" +
                         Field{key} + ")");
}

/// The one that all groups have.
std::string target_of_all(const Table& runs, const RoleRequest& roles) {
  if (roles.throughput)
    return roles.throughput->column;
  if (auto column = measured_column(runs, roles))
    return *std::move(column);
  return resolve_roles(runs, roles).target;  // says why there is none
}

std::optional<GroupOutcome> fit_task(std::size_t number, const GroupJob& job,
                                     const FitRequest& request, const std::vector<SetForm>& forms) {
  FitRequest own = request;
  const std::string target = job.task(number).target;
  if (!request.roles.throughput)
    own.roles.target = target;
  for (const SetForm& shared : forms)
    if (shared.target == target)
      own.options.shared_form = std::make_shared<const SharedForm>(shared.form);
  own.options.be_silent();
  own.progress = nullptr;
  RunsFile runs = job.runs_of(number);
  GroupOutcome out;
  try {
    FitOutcome fitted = fit_runs(std::move(runs), own);
    if (fitted.interrupted)
      return std::nullopt;
    out.model = std::move(fitted.model);
    out.model->provenance.sha256 = job.digest;
  } catch (const Interrupted&) {
    return std::nullopt;
  } catch (const Error& error) {
    out.refused = error.sentence();
  }
  return out;
}

/// A cell of another group may have made a column one of texts.
void read_as_numbers(Column& column) {
  std::vector<double> numbers = numbers_of(column);
  if (std::any_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); }))
    return;
  column.kind = Column::Kind::numeric;
  column.numbers = std::move(numbers);
  column.codes.clear();
  column.levels.clear();
}

/// Rows of a table, as if they were all there is.
Table table_of_task(const GroupTask& task, Table table, const GroupRequest& groups) {
  std::vector<std::string> without = groups.key_columns();
  for (const std::string& target : groups.targets)
    if (target != task.column)
      without.push_back(target);
  std::erase_if(table.columns, [&](const Column& column) {
    return std::find(without.begin(), without.end(), column.name) != without.end();
  });
  for (Column& column : table.columns) {
    if (groups.target_name && column.name == task.column)
      column.name = task.target;
    if (!column.is_numeric())
      read_as_numbers(column);
  }
  return table;
}

void settle_targets(const Table& runs, GroupRequest& groups, const RoleRequest& roles) {
  require_columns(runs, "by", groups.by);
  if (roles.target && runs.find(*roles.target) != nullptr)
    groups.targets = {*roles.target};  // a name with a comma
  require_columns(runs, "target", groups.targets);
  if (groups.target_name)
    require_columns(runs, "target_name", {*groups.target_name});
  if (groups.targets.empty())
    groups.targets = {target_of_all(runs, roles)};
  refuse_keys(groups, "target", groups.targets);
  refuse_keys(groups, "ignore", roles.ignore);
  refuse_keys(groups, "categorical", roles.categorical);
  for (const auto& [field, columns] :
       {std::pair("extrinsic", &roles.extrinsic), std::pair("intrinsic", &roles.intrinsic)})
    if (*columns)
      refuse_keys(groups, field, **columns);
  if (groups.total && !groups.target_name && runs.find(*groups.total) != nullptr &&
      std::find(groups.targets.begin(), groups.targets.end(), *groups.total) ==
          groups.targets.end())
    groups.targets.push_back(*groups.total);
}

/// What a throughput gives is called as in a model of its own.
GroupJob with_time_of_throughput(GroupJob job, const RoleRequest& roles, const Table& runs) {
  if (roles.throughput && runs.find(roles.throughput->column) != nullptr) {
    const std::string time = time_of(*roles.throughput, runs).column;
    job.task = [task = std::move(job.task), time](std::size_t number) {
      GroupTask out = task(number);
      out.target = time;
      return out;
    };
  }
  return job;
}

/// Of groups that stand one after the other.
GroupJob job_of(const std::shared_ptr<const GroupIndex>& index, const GroupRequest& groups) {
  GroupJob out;
  out.file = base_name(index->path());
  out.digest = index->digest();
  const std::size_t targets = groups.targets.size();
  out.tasks = index->groups() * targets;
  out.task = [index, groups, targets](std::size_t number) -> GroupTask {
    const std::string& target = groups.targets[number % targets];
    const std::size_t group = number / targets;
    return {index->key(group), target, target, index->rows(group)};
  };
  out.runs_of = [index, groups, targets, task = out.task](std::size_t number) {
    RunsFile runs;
    runs.path = index->path();
    runs.table = table_of_task(task(number), index->table(number / targets), groups);
    return runs;
  };
  return out;
}

/// Of runs that are in memory.
GroupJob job_of(RunsFile all, const GroupRequest& groups) {
  struct Tasks {
    RunsFile runs;
    std::vector<GroupTask> tasks;
    std::vector<std::vector<std::size_t>> rows;  ///< of each task

    void add(TableGroup group, std::string target, const std::string& column) {
      tasks.push_back({std::move(group.key), std::move(target), column, group.rows.size()});
      rows.push_back(std::move(group.rows));
    }
  };
  GroupJob out;
  out.file = all.files.empty() ? base_name(all.path) : all.path;
  out.digest = sha256(all.bytes);
  all.bytes.clear();
  all.bytes.shrink_to_fit();
  const auto shared = std::make_shared<Tasks>();
  shared->runs = std::move(all);
  for (TableGroup& group : groups_of(shared->runs.table, groups.key_columns())) {
    if (groups.target_name) {
      std::string target = std::move(group.key.back());
      group.key.pop_back();
      shared->add(std::move(group), std::move(target), groups.targets.front());
      continue;
    }
    for (const std::string& target : groups.targets)
      shared->add(group, target, target);
  }
  out.tasks = shared->tasks.size();
  out.task = [shared](std::size_t number) { return shared->tasks[number]; };
  out.runs_of = [shared, groups](std::size_t number) {
    RunsFile runs;
    runs.path = shared->runs.path;
    runs.files = shared->runs.files;
    runs.table = table_of_task(shared->tasks[number],
                               take_rows(shared->runs.table, shared->rows[number]), groups);
    return runs;
  };
  return out;
}

}  // namespace

std::vector<std::string> GroupRequest::key_columns() const {
  std::vector<std::string> out = by;
  if (target_name)
    out.push_back(*target_name);
  return out;
}

GroupJob read_groups(const std::vector<std::string>& paths, GroupRequest& groups,
                     const RoleRequest& roles, std::optional<char> separator) {
  std::set<std::string> texts(roles.categorical.begin(), roles.categorical.end());
  for (const std::string& column : groups.key_columns())
    texts.insert(column);
  if (paths.size() == 1 && !groups.by.empty() && !groups.target_name) {
    if (auto index = GroupIndex::of(paths.front(), groups.by, texts, separator)) {
      const Table first_rows = index->first_rows();
      settle_targets(first_rows, groups, roles);
      return with_time_of_throughput(
          job_of(std::make_shared<const GroupIndex>(*std::move(index)), groups), roles, first_rows);
    }
  }
  RunsFile runs = read_runs(paths, texts, separator);
  settle_targets(runs.table, groups, roles);
  const Table columns = take_rows(runs.table, {});
  return with_time_of_throughput(job_of(std::move(runs), groups), roles, columns);
}

std::optional<SetTotal> total_of(const GroupRequest& groups, const GroupJob& job) {
  if (!groups.total)
    return std::nullopt;
  const std::string& name = *groups.total;
  bool is_target = false;
  std::vector<bool> is_text(groups.by.size(), false);
  for (std::size_t number = 0; number < job.tasks; ++number) {
    const GroupTask task = job.task(number);
    is_target = is_target || task.target == name;
    for (std::size_t i = 0; i < groups.by.size(); ++i)
      is_text[i] = is_text[i] || task.key[i] == name;
  }
  std::vector<SetTotal> found;
  if (is_target)
    found.push_back({std::nullopt, name});
  for (std::size_t i = 0; i < groups.by.size(); ++i)
    if (is_text[i])
      found.push_back({groups.by[i], name});
  if (found.size() != 1) {
    throw UsageError(Field{"total"} + ": '" + name + "' is " +
                     (found.empty() ? "no target, no column and no text of a key column"
                                    : "a target or text of several columns"));
  }
  return found.front();
}

void fit_groups(const GroupJob& job, const std::vector<std::size_t>& numbers,
                const FitRequest& request, const std::vector<SetForm>& forms,
                const std::function<void(std::size_t, GroupOutcome)>& take) {
  parallel_in_order<GroupOutcome>(
      numbers.size(), request.options.threads,
      [&](std::size_t i) -> std::optional<GroupOutcome> {
        if (request.options.stop.stop_requested())
          return std::nullopt;
        return fit_task(numbers[i], job, request, forms);
      },
      [&](std::size_t i, GroupOutcome outcome) { take(numbers[i], std::move(outcome)); });
}

}  // namespace perfmodel
