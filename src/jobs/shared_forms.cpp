#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "fit/fit.hpp"
#include "jobs/group_fits.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel {
namespace {

/// Each is a level of the choice, whose time grows with the square of their number.
constexpr std::size_t kMostGroups = 16;
constexpr std::size_t kMostRowsOfGroup = 100;
constexpr std::size_t kRangeOfSize = 2;
constexpr std::size_t kFewestRows = 3;
/// Stands for the key; no column of a file that was read has such a name.
constexpr auto kGroupColumn = "\ngroup";

template <class Items>
Items evenly_taken(const Items& items, std::size_t count) {
  if (items.size() <= count)
    return items;
  Items out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(items[(2 * i + 1) * items.size() / (2 * count)]);
  return out;
}

/// Those with at least half as many rows as the largest ones that could be taken, evenly by their
/// keys: the order of the file plays no part.
std::vector<std::size_t> sampled_tasks(const std::vector<std::size_t>& tasks, const GroupJob& job) {
  std::vector<std::size_t> rows;
  for (const std::size_t task : tasks)
    rows.push_back(job.task(task).rows);
  std::vector<std::size_t> sorted = rows;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const std::size_t enough = sorted[std::min(sorted.size(), kMostGroups) - 1] / 2;
  std::vector<std::pair<std::vector<std::string>, std::size_t>> large;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (rows[i] >= enough)
      large.emplace_back(job.task(tasks[i]).key, tasks[i]);
  std::sort(large.begin(), large.end());
  std::vector<std::size_t> out;
  for (const auto& [key, task] : evenly_taken(large, kMostGroups))
    out.push_back(task);
  return out;
}

/// The training rows of the groups, one size for all that are alike.
std::vector<std::size_t> sizes_of(const std::vector<std::size_t>& tasks, const GroupJob& job,
                                  const SplitShares& shares) {
  const double share = shares.train / (shares.train + shares.validation + shares.test);
  std::vector<std::size_t> rows;
  for (const std::size_t task : tasks) {
    const auto training =
        static_cast<std::size_t>(std::lround(share * static_cast<double>(job.task(task).rows)));
    if (training >= kFewestRows)
      rows.push_back(std::min(training, kMostRowsOfGroup));
  }
  std::sort(rows.begin(), rows.end());
  std::vector<std::size_t> out;
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    while (end < rows.size() && rows[end] <= kRangeOfSize * rows[begin])
      ++end;
    out.push_back(rows[begin + (end - begin) / 2]);
    begin = end;
  }
  return out;
}

/// Training rows of a group and the parts of their columns.
struct GroupRuns {
  Table table;
  Roles roles;
};

std::optional<GroupRuns> runs_of_group(std::size_t task, const GroupJob& job,
                                       const FitRequest& request) {
  RoleRequest roles = request.roles;
  if (!roles.throughput)
    roles.target = job.task(task).target;
  try {
    LabelledRuns runs = label_runs(job.runs_of(task), roles);
    const Split split = split_rows(runs.rows, request.split, request.split_seed);
    return GroupRuns{take_rows(runs.file.table, evenly_taken(split.train, kMostRowsOfGroup)),
                     std::move(runs.roles)};
  } catch (const Error&) {  // is refused when it is fitted
    return std::nullopt;
  }
}

void add_names(std::vector<std::string>& names, const std::vector<std::string>& further,
               const std::vector<std::vector<std::string>*>& others) {
  const auto is_in = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const std::string& name : further) {
    const bool known =
        is_in(names, name) || std::any_of(others.begin(), others.end(),
                                          [&](const auto* other) { return is_in(*other, name); });
    if (!known)
      names.push_back(name);
  }
}

/// A column is what it is in the first group that has it.
void add_roles(Roles& roles, const Roles& further) {
  add_names(roles.extrinsic, further.extrinsic, {&roles.intrinsic, &roles.categorical});
  add_names(roles.intrinsic, further.intrinsic, {&roles.extrinsic, &roles.categorical});
  add_names(roles.categorical, further.categorical, {&roles.extrinsic, &roles.intrinsic});
}

void append(Column& column, const Column& further) {
  column.numbers.insert(column.numbers.end(), further.numbers.begin(), further.numbers.end());
  for (const std::uint32_t code : further.codes) {
    const std::string& level = further.levels[code];
    auto place = std::find(column.levels.begin(), column.levels.end(), level);
    if (place == column.levels.end())
      place = column.levels.insert(place, level);
    column.codes.push_back(static_cast<std::uint32_t>(place - column.levels.begin()));
  }
}

bool same_columns(const Table& a, const Table& b) {
  return std::equal(
      a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
      [](const Column& x, const Column& y) { return x.name == y.name && x.kind == y.kind; });
}

/// The rows of all groups, with a column that tells them apart.
GroupRuns joined_groups(const std::vector<GroupRuns>& groups) {
  GroupRuns out;
  Column key;
  key.name = kGroupColumn;
  key.kind = Column::Kind::text;
  for (const GroupRuns& group : groups) {
    if (key.levels.empty()) {
      out = group;
    } else if (same_columns(out.table, group.table)) {
      for (std::size_t c = 0; c < out.table.columns.size(); ++c)
        append(out.table.columns[c], group.table.columns[c]);
      out.table.lines.insert(out.table.lines.end(), group.table.lines.begin(),
                             group.table.lines.end());
      add_roles(out.roles, group.roles);
    } else {
      continue;
    }
    key.codes.insert(key.codes.end(), group.table.rows(),
                     static_cast<std::uint32_t>(key.levels.size()));
    key.levels.push_back(std::to_string(key.levels.size()));
  }
  out.table.sources.clear();
  out.table.file.clear();
  out.table.columns.push_back(std::move(key));
  out.roles.categorical.emplace_back(kGroupColumn);
  return out;
}

}  // namespace

std::vector<SetForm> share_forms(const GroupJob& job, const FitRequest& request) {
  std::vector<std::string> targets;
  std::map<std::string, std::vector<std::size_t>> tasks;
  for (std::size_t task = 0; task < job.tasks; ++task) {
    std::string target = job.task(task).target;
    std::vector<std::size_t>& of_target = tasks[target];
    if (of_target.empty())
      targets.push_back(std::move(target));
    of_target.push_back(task);
  }
  std::vector<SetForm> out;
  for (const std::string& target : targets) {
    std::vector<GroupRuns> groups;
    for (const std::size_t task : sampled_tasks(tasks[target], job))
      if (auto runs = runs_of_group(task, job, request))
        groups.push_back(*std::move(runs));
    const std::vector<std::size_t> sizes = sizes_of(tasks[target], job, request.split);
    if (groups.size() < 2 || sizes.empty() || request.options.stop.stop_requested())
      continue;
    const GroupRuns all = joined_groups(groups);
    std::vector<std::size_t> rows(all.table.rows());
    for (std::size_t row = 0; row < rows.size(); ++row)
      rows[row] = row;
    const ModelSpec spec = make_spec(all.table, all.roles, rows);
    const Design training = make_design(all.table, spec, Target::required, rows);
    FitOptions options = request.options;
    options.be_silent();
    out.push_back({target, shared_form(spec, training, kGroupColumn, sizes, options)});
  }
  return out;
}

}  // namespace perfmodel
