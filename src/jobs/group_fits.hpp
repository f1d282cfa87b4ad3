#pragma once

#include <sys/stat.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/table.hpp"
#include "report/model_set.hpp"

namespace perfmodel {

/// A file whose groups stand one after the other may be of any size; others are read as a whole, up
/// to this one.
constexpr std::uintmax_t kMostBytesAsAWhole = std::uintmax_t{1} << 30;

/// Where the groups of a CSV file stand that come one after the other, so that each can be read on
/// its own. All lines were read once, by the reader of whole files, so that what it refuses is
/// refused at once.
class GroupIndex {
 public:
  /// Nothing where rows of a group stand apart, and for what is no plain file of commas: standard
  /// input, other separators. Throws InputError for what parse_csv() refuses, and where rows stand
  /// apart in a file that is too large to be read as a whole.
  static std::optional<GroupIndex> of(const std::string& path, const std::vector<std::string>& by,
                                      const std::set<std::string>& texts,
                                      std::optional<char> separator,
                                      std::uintmax_t most_bytes_as_a_whole = kMostBytesAsAWhole);

  const std::string& path() const { return path_; }
  const std::string& digest() const { return digest_; }  ///< of all bytes
  std::size_t groups() const { return spans_.size(); }
  const std::vector<std::string>& key(std::size_t group) const { return spans_[group].key; }
  std::size_t rows(std::size_t group) const { return spans_[group].rows; }

  /// Some rows from the beginning on.
  const Table& first_rows() const { return first_rows_; }
  /// The rows of a group, as they are in a table of the whole. Throws InputError where somebody
  /// wrote to the file meanwhile.
  Table table(std::size_t group) const;

 private:
  struct Span {
    std::vector<std::string> key;
    std::uint64_t begin = 0;  ///< in the file
    std::uint64_t end = 0;
    std::uint32_t line = 0;  ///< of the first row
    std::size_t rows = 0;
  };

  std::string path_;
  std::set<std::string> texts_;
  std::string digest_;
  std::string header_;     ///< the line
  std::string first_row_;  ///< the line; its cells say which columns are numbers
  Table first_rows_;
  std::vector<Span> spans_;
  std::unordered_set<std::string> seen_;  ///< keys
  struct stat status_ = {};

  /// Whole lines that begin at this place; false where rows stand apart.
  bool add(std::string_view lines, std::uint64_t begin, std::uint32_t line,
           const std::vector<std::string>& by);
  Table parsed(std::string_view lines, std::uint32_t line) const;
};

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

/// Tasks by their numbers, `request` for each, on as many threads as its options say; `take` has
/// the results in the order of `numbers`. Runs that a fit refuses are no error here. What a stop
/// request cuts short is not taken.
void fit_groups(const GroupJob& job, const std::vector<std::size_t>& numbers,
                const FitRequest& request,
                const std::function<void(std::size_t, GroupOutcome)>& take);

/// Of the tasks of a fit that calls can share, the numbers of the first of each kind: fits with
/// several seeds from 0, then samples of a bootstrap, then folds.
struct SharedTasks {
  std::size_t samples = 0;
  std::size_t folds = 0;
};

SharedTasks shared_tasks(const FitRequest& request);

/// All of them.
std::size_t shared_task_count(const PreparedFit& prepared, const FitRequest& request);

/// Does the tasks of `request.share`, a shard. Samples of a bootstrap need the model itself, which
/// every shard fits. Throws Interrupted after a stop request.
void fit_shared_tasks(const PreparedFit& prepared, const FitRequest& request);

}  // namespace perfmodel
