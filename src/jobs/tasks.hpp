#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <optional>
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

// What a task leaves in the file of a shard. Numbers are read as they were written, to the last
// bit; not all of a model is in its document.
void describe(Fields& f, HeldOutFold& x);
void describe(Fields& f, SweepPoint& x);
void describe(Fields& f, ModelScore& x);
void describe(Fields& f, plan::PlanStart& x);

/// The tasks of a job that several calls share: those of one shard are done and written; where all
/// are there, they are read and nothing is left to do.
class TaskShare {
 public:
  using Writer = std::function<void(const std::string& line)>;

  /// Of a shard, whose results go to `write`. `kept` are lines of an earlier run of it.
  TaskShare(Shard shard, const std::vector<std::string>& kept, Writer write);
  /// Of the whole job: a line per task. They live as long as this.
  TaskShare(std::string source, const std::vector<std::string_view>& lines);
  TaskShare(const TaskShare&) = delete;
  TaskShare& operator=(const TaskShare&) = delete;

  /// Whether all results are there.
  bool is_whole() const { return !shard_; }

  /// Of tasks that are numbered from `first` in the whole job.
  template <class Result>
  TaskHooks<Result> hooks(std::size_t first) const {
    TaskHooks<Result> out;
    out.is_own = [this, first](std::size_t task) { return shard_ && shard_->has(first + task); };
    out.known = [this, first](std::size_t task) -> std::optional<Result> {
      const std::string_view line = line_of(first + task);
      return line.empty() ? std::nullopt
                          : std::optional(read_json<Result>(
                                JsonCursor::parse(source_, line).member("result")));
    };
    out.done = [this, first](std::size_t task, const Result& result) {
      write_(result_line(first + task, json_of(result)));
    };
    return out;
  }

 private:
  std::optional<Shard> shard_;
  std::string source_;
  std::vector<std::string> kept_;
  std::vector<std::string_view> lines_;  ///< by task; as many as are known of
  Writer write_;

  std::string_view line_of(std::size_t task) const {
    return task < lines_.size() ? lines_[task] : std::string_view();
  }
};

/// Hooks that leave all tasks here where nothing is shared.
template <class Result>
TaskHooks<Result> hooks_of(const TaskShare* share, std::size_t first) {
  return share == nullptr ? TaskHooks<Result>{} : share->hooks<Result>(first);
}

/// The parts of a job as one file: the same bytes that the job without shards writes. In memory is
/// where each line stands.
class MergedParts {
 public:
  /// Throws InputError that names what is wrong: a part of another job, a line that is cut short, a
  /// task that two parts hold or none; and which shards have to run again.
  explicit MergedParts(const std::vector<TextLines>& parts);

  /// The first line, with its newline.
  const std::string& header() const { return header_; }
  std::size_t tasks() const { return places_.size(); }
  /// The others in their order, with their newlines.
  void for_each_line(const std::function<void(std::string_view line)>& visit) const;

 private:
  struct Place {
    std::size_t part = 0;
    std::size_t offset = 0;
    std::size_t size = 0;  ///< 0: there is no such line
  };
  std::vector<TextLines> parts_;
  std::string header_;
  std::vector<Place> places_;  ///< by task
};

}  // namespace perfmodel
