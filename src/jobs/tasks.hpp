#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/plan.hpp"
#include "analysis/sweep.hpp"
#include "base/fields.hpp"
#include "base/files.hpp"
#include "base/parallel.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "report/model_json.hpp"
#include "report/model_set.hpp"
#include "trust/cross_validation.hpp"

namespace perfmodel {

// Fields of the results in the file of a shard. Numbers are read back bit by bit; of a model, its
// document does not contain everything.
void describe(Fields& f, HeldOutFold& x);
void describe(Fields& f, SweepPoint& x);
void describe(Fields& f, ModelScore& x);
void describe(Fields& f, plan::PlanStart& x);

/// The tasks of a job that several calls share: a shard runs its tasks and writes their results;
/// for the whole job, all results are read and nothing is run.
class TaskShare {
 public:
  using Writer = std::function<void(const std::string& line)>;

  /// `lines`: the known results of the first tasks of the shard; further ones are passed to
  /// `write`. The whole job is the only shard, with all results known.
  TaskShare(Shard shard, std::string source, std::vector<std::string> lines, Writer write = {})
      : shard_(shard),
        source_(std::move(source)),
        lines_(std::move(lines)),
        write_(std::move(write)) {}

  /// Hooks for tasks whose numbers in the whole job begin at `first`.
  template <class Result>
  TaskHooks<Result> hooks(std::size_t first) const {
    TaskHooks<Result> out;
    out.is_own = [this, first](std::size_t task) { return shard_.has(first + task); };
    out.known = [this, first](std::size_t task) -> std::optional<Result> {
      const std::size_t line = (first + task) / shard_.of;
      return shard_.has(first + task) && line < lines_.size()
                 ? std::optional(
                       read_json<Result>(JsonCursor::parse(source_, lines_[line]).member("result")))
                 : std::nullopt;
    };
    out.done = [this, first](std::size_t task, const Result& result) {
      write_(result_line(first + task, json_of(result)));
    };
    return out;
  }

 private:
  Shard shard_;
  std::string source_;
  std::vector<std::string> lines_;  ///< of the first tasks of the shard
  Writer write_;
};

/// The hooks of `share`; if null, this process runs all tasks.
template <class Result>
TaskHooks<Result> hooks_of(const TaskShare* share, std::size_t first) {
  return share == nullptr ? TaskHooks<Result>{} : share->hooks<Result>(first);
}

/// The shards of a job merged into one file, with the same bytes as the job without shards. Only
/// the position of each line is in memory.
class MergedParts {
 public:
  /// Throws InputError, naming the shards to run again, for a shard of another job, a truncated
  /// line, and a task that is in two shards or in none.
  explicit MergedParts(const std::vector<TextLines>& parts);

  /// The first line, with its newline.
  const std::string& header() const { return header_; }
  std::size_t tasks() const { return places_.size(); }
  /// Visits the other lines in the order of their tasks, with their newlines.
  void for_each_line(const std::function<void(std::string_view line)>& visit) const;

 private:
  struct Place {
    std::size_t part = 0;
    std::size_t offset = 0;
    std::size_t size = 0;  ///< 0: missing
  };
  std::vector<TextLines> parts_;
  std::string header_;
  std::size_t shards_ = 1;
  std::vector<Place> places_;  ///< by task

  /// Reads the first line of a part and returns its shard.
  Shard begin(const std::string& place, const TextLines& part, std::string_view line);
  /// Notes the places of the lines of a part, what is wrong with it, and its shard if that has to
  /// run again.
  void read(std::size_t part, std::vector<std::string>& problems, std::set<std::size_t>& again);
};

}  // namespace perfmodel
