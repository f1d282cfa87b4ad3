#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/model/model_set.hpp"
#include "perfmodel/base/sentence.hpp"
#include "perfmodel/pipeline/fit_runs.hpp"

namespace perfmodel {

/// What shall have a model of its own: every target of every group.
struct GroupRequest {
  std::vector<std::string> by;       ///< columns whose texts tell groups apart; none: one group
  std::vector<std::string> targets;  ///< none: inferred, of the table as a whole
  /// Of a long table: the column of the targets' names; `targets` is then the one of their values.
  std::optional<std::string> target_name;
  /// A target, a text of a key column or a further column that the others add up to.
  std::optional<std::string> total;

  /// The columns to be read as text.
  std::vector<std::string> key_columns() const;
};

/// One model to be: a pure function of its number, the runs and the request.
struct GroupTask {
  std::vector<std::string> key;
  std::string target;
  std::string column;  ///< that holds it
  std::vector<std::size_t> rows;
};

/// The tasks in the order in which their groups appear first, targets in the order asked for.
/// Settles the target in `request` where it is open; a column that is a total is one more.
///
/// Throws UsageError for columns that there are not, InputError where the target cannot be told.
std::vector<GroupTask> group_tasks(const Table& runs, GroupRequest& groups,
                                   const RoleRequest& roles);

/// What `groups.total` is of the tasks; nothing where none is asked for. Throws UsageError where it
/// is none of them, or texts of several columns.
std::optional<SetTotal> total_of(const GroupRequest& groups, const std::vector<GroupTask>& tasks);

/// The rows of one task as a table of their own: without the columns of the key and other targets.
Table table_of(const GroupTask& task, const Table& runs, const GroupRequest& groups);

/// What became of a task.
struct GroupOutcome {
  std::optional<FittedModel> model;
  Sentence refused;  ///< the reason, where there is no model
};

/// Tasks by their numbers, `request` for each, on as many threads as its options say; `take` has
/// the results in the order of `numbers`. Runs that a fit refuses are no error here. What a stop
/// request cuts short is not taken. The digest is that of the bytes of the runs.
void fit_groups(const RunsFile& runs, const std::string& digest, const GroupRequest& groups,
                const std::vector<GroupTask>& tasks, const std::vector<std::size_t>& numbers,
                const FitRequest& request,
                const std::function<void(std::size_t, GroupOutcome)>& take);

}  // namespace perfmodel
