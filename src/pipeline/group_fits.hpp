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
  std::vector<std::string> by;  ///< columns whose texts tell groups apart; none: one group
  /// None: inferred, of the table as a whole. One that holds commas is a column of that name, where
  /// there is one, else a list.
  std::vector<std::string> targets;
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
  std::string column;    ///< that holds it
  std::size_t rows = 0;  ///< of the group
};

/// The models to be of some runs, groups in the order in which they first appear, targets in the
/// order asked for.
struct GroupJob {
  std::string file;    ///< base names
  std::string digest;  ///< of the bytes of the runs
  std::size_t tasks = 0;
  std::function<GroupTask(std::size_t)> task;
  /// The file of a task, as if its rows were all there is, without the columns of the key and other
  /// targets; the digest is for later. From any thread.
  std::function<RunsFile(std::size_t)> runs_of;
};

/// Of a CSV file whose groups stand one after the other, no more than one group per thread and an
/// index of all is ever in memory; others are read as a whole. Settles the targets in `groups`
/// where they are open; a column that is a total is one more.
///
/// Throws UsageError for columns that there are not, InputError where the target cannot be told,
/// where a file cannot be read, and where it is too large to be read as a whole.
GroupJob read_groups(const std::vector<std::string>& paths, GroupRequest& groups,
                     const RoleRequest& roles, std::optional<char> separator);

/// What `groups.total` is of the tasks; nothing where none is asked for. Throws UsageError where it
/// is none of them, or texts of several columns.
std::optional<SetTotal> total_of(const GroupRequest& groups, const GroupJob& job);

/// What became of a task.
struct GroupOutcome {
  std::optional<FittedModel> model;
  Sentence refused;  ///< the reason, where there is no model
};

/// Tasks by their numbers, `request` for each with the form of its target where there is one, on as
/// many threads as its options say; `take` has the results in the order of `numbers`. Runs that a
/// fit refuses are no error here. What a stop request cuts short is not taken.
void fit_groups(const GroupJob& job, const std::vector<std::size_t>& numbers,
                const FitRequest& request, const std::vector<SetForm>& forms,
                const std::function<void(std::size_t, GroupOutcome)>& take);

}  // namespace perfmodel
