#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/scaling.hpp"
#include "base/files.hpp"
#include "base/parallel.hpp"
#include "cli/console.hpp"
#include "cli/options.hpp"
#include "jobs/tasks.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/predict.hpp"
#include "perfmodel/table.hpp"
#include "report/model_set.hpp"
#include "report/page.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel::cli {

/// `--strict-range`.
Option add_strict_range(OptionSet& app, bool& strict);

/// Warns of every finding; where it is strict, throws InputError with all of them.
void report_range(const RangeCheck& check, bool strict, Console& console);

/// The lines of a set, as often as somebody wants to see them: of one that is in memory, or of a
/// text, of which one line at a time is.
class SetLines {
 public:
  /// The lines of a text behind its header.
  using ShowText = std::function<void(const std::function<void(std::string_view text)>& visit)>;

  /// Of a set that lives as long as this, or that this holds.
  explicit SetLines(const ModelSet& set)
      : SetLines(std::shared_ptr<const ModelSet>(std::shared_ptr<void>(), &set)) {}
  explicit SetLines(std::shared_ptr<const ModelSet> set);
  SetLines(std::string source, ModelSetHeader header, ShowText text);
  /// Of a file with this header.
  SetLines(const TextLines& file, ModelSetHeader header);

  const ModelSetHeader& header() const { return header_; }
  std::size_t size() const;
  void for_each(const std::function<void(const ModelSetLine&)>& visit) const;
  /// Those that are wanted by what is said of them; of the others the model is not even read.
  void for_each(const std::function<bool(const ModelSetLine&)>& is_wanted,
                const std::function<void(const ModelSetLine&)>& visit) const;
  /// From now on only these, an entry per line.
  void keep(std::vector<bool> kept) { kept_ = std::move(kept); }

 private:
  std::shared_ptr<const ModelSet> set_;
  std::string source_;
  ModelSetHeader header_;
  ShowText text_;
  std::vector<bool> kept_;  ///< empty: all

  bool is_kept(std::size_t line) const { return kept_.empty() || kept_[line]; }
};

/// Which runs judge a model, and how they are read.
struct JudgedRunsArguments {
  std::string model;
  std::string pick;
  std::string runs;
  std::optional<std::string> target;  ///< nothing: the model's
  std::optional<char> separator;      ///< nothing: recognised
  bool drop_failed = false;
  /// Of more runs a model with a residual process, whose predictions take long, judges so many.
  std::optional<std::size_t> most_of_process;
};

/// The arguments MODEL.json and RUNS.csv, --target, --separator and --failed.
void add_judged_runs(OptionSet& command, JudgedRunsArguments& arguments, bool needs_runs = true);

/// Measured runs beside what a model says of them.
struct JudgedRuns {
  RunsFile file;
  std::optional<std::size_t> sampled_from;   ///< rows of the file, of which the table has a sample
  std::vector<std::size_t> rows;             ///< of the table that are judged
  std::vector<std::uint32_t> lines;          ///< of these
  Design design;                             ///< of these
  Eigen::VectorXd predicted;                 ///< one per row that is judged
  RangeCheck range;                          ///< of all rows
  std::optional<std::string> left_out_text;  ///< of the rows that the model gives no time

  std::size_t left_out() const { return file.table.rows() - rows.size(); }
  /// Of the rows of the design, and all that goes with them, keeps those that are not in `some`.
  void leave_out(const std::vector<std::size_t>& some);
};

/// Reads the runs of `arguments` for a model to be judged on. Warns of rows that are out of range
/// and leaves out, with a warning, those of which the model gives no time.
///
/// Throws InputError for rows that the model cannot take, where no row is left, and with
/// `strict_range` for rows that are out of range or have no time.
/// Of a set the rows that its only line is about.
JudgedRuns judge_runs(const SetLines& set, const JudgedRunsArguments& arguments, bool strict_range,
                      Console& console);

/// The same rows with these columns read as text.
Table read_again(const FittedModel& model, const JudgedRunsArguments& arguments,
                 const std::set<std::string>& text_columns);

/// So many rows of a file, evenly spread over it.
std::vector<std::size_t> evenly_chosen(std::size_t rows, std::size_t count);

/// What they are judged by: the model's columns, and the measured time of `arguments`.
ModelSpec judging_spec(const FittedModel& model, const JudgedRunsArguments& arguments);

/// An older model's predictions for the runs that are judged.
struct BaselineRuns {
  FittedModel model;
  Eigen::VectorXd predicted;
};

/// The model of `file` on the runs that `arguments` name and `model` is judged on; it may know
/// other columns. Rows that it gives no time are left out of both.
BaselineRuns judge_baseline(const std::string& file, const JudgedRunsArguments& arguments,
                            const FittedModel& model, JudgedRuns& runs, bool strict_range,
                            Console& console);

/// Throws InputError where the table already has one of these columns.
void refuse_taken_names(const Table& table, const std::vector<std::string>& names);

/// The lines of the file as they are, each followed by the cells of new columns, numbers and words
/// without blanks, written as the file's are: with its separator and its decimal commas. Nothing
/// of a line is read and written anew, so no cell changes.
void append_columns(std::string_view bytes, const Table& table,
                    const std::vector<std::string>& names,
                    const std::function<std::vector<std::string>(std::size_t row)>& cells,
                    OutputFile& output);

/// What a model says of the rows of a table.
struct Predictions {
  Eigen::VectorXd values;
  std::vector<std::size_t> without_time;  ///< rows of which the value is no time, ascending
};

Predictions predictions_of(const FittedModel& model, const Design& design);

/// "runs.csv: in 3 of 20 rows (lines 4, 9 and 12) the model predicts no time > 0 that a number
/// holds"; nothing where every row has one.
std::optional<std::string> without_time_text(const Predictions& predictions, const Table& table);

/// Warns of that, and of what becomes of the rows; where it is strict, throws InputError.
void report_without_time(const Predictions& predictions, const Table& table,
                         const std::string& consequence, bool strict, Console& console);

/// Warns of rows in which a 0 takes all away that grows with the other inputs, so that the constant
/// of the formula alone is left: the same time whatever the others are. `lines` are named where
/// there are several rows.
void report_constants(const FittedModel& model, const Design& design, const Eigen::VectorXd& times,
                      const std::vector<std::uint32_t>& lines, Console& console);

/// The predicted time of every row. Throws InputError with the places of those that are no times,
/// as `where` names them. For single configurations and for what needs a time of every row.
Eigen::VectorXd predicted_times(const FittedModel& model, const Design& design,
                                const std::function<std::string(std::size_t row)>& where);

/// `--pick`.
void add_pick(OptionSet& app, std::string& pick);

/// The models of a file for which the condition over key columns and `target` holds (all, where it
/// is empty), of which one at a time is in memory. A file of a single model is a set of one line
/// without key, of which nothing can be picked. Throws InputError where no line is left.
SetLines picked_models(const std::string& path, const std::string& pick);

/// The only model that picked_models() gives. Throws UsageError where there are several, InputError
/// where it could not be fitted.
FittedModel picked_model(const std::string& path, const std::string& pick);

/// The same of lines that were picked.
FittedModel model_of(const SetLines& set);

/// Whether the set is one of keys, not a single model's file.
bool has_keys(const SetLines& set);

/// The columns that are read as text to find the rows of each model.
std::set<std::string> text_columns_of(const SetLines& set);

/// The rows of a table that a line of a set is about.
struct LineRows {
  const ModelSetLine& line;
  const std::vector<std::size_t>& rows;
  Table table;  ///< of these; of a long table the values have the name of the target
};

/// Shows every line with a model that has rows here. A table that lacks a column of the key is
/// refused with InputError.
void for_each_with_rows(const SetLines& set, const Table& table,
                        const std::function<void(LineRows part)>& visit);

/// `--folds`, `--group-by` and `--coverage` of fit.
void add_held_out_options(OptionSet& app, HeldOutRequest& request);

/// `--coverage L` alone, for commands that read a model.
void add_coverage(OptionSet& app, std::optional<double>& coverage, const std::string& description);

/// The level of the intervals of a model that was read from `file`: this one, or its own. Nothing
/// where the model has none and none are asked for; throws InputError where they are.
std::optional<double> interval_level(const FittedModel& model, std::optional<double> coverage,
                                     const std::string& file);

/// How sure a model is of some rows.
struct Certainty {
  std::optional<ProcessReach> reach;  ///< of a model with a residual process
  std::optional<RowIntervals> intervals;
};

/// With the intervals of interval_level(), where there are any.
Certainty certainty_of(const FittedModel& model, std::optional<double> coverage,
                       const std::string& file, const Design& design);

/// The part of the summary about these; empty where there is none.
std::string held_out_section(const FittedModel& model, const Console& console);

/// All results of the tasks of a command, as merge puts them together.
struct MergedTasks {
  std::string common;  ///< the header that the command must arrive at, too
  TaskShare share;
};

/// Of a command whose tasks several calls can share.
struct SharingArguments {
  std::optional<Shard> shard;
  bool resume = false;
  // Set by the program:
  std::string settings;              ///< options that a result depends on, in a fixed order
  std::vector<std::string> command;  ///< the same with the name and the inputs, as words
  const MergedTasks* merged = nullptr;
};

/// The value of a variable of the environment; null where it is not set.
using EnvironmentVariable = std::function<const char*(const char* name)>;

/// "2/8", or "auto": as Open MPI, an MPI with PMI (MPICH, Intel), a Slurm array or srun says which
/// of its tasks this is; a single one where there is none of them. Throws OptionError.
Shard parse_shard(const std::string& text, const EnvironmentVariable& environment);

/// `--shard`; `tasks` says what is shared.
void add_shard(OptionSet& app, std::optional<Shard>& shard, const std::string& tasks);
/// That and `--resume`, which needs a shard unless there is more to go on with.
void add_sharing(OptionSet& app, SharingArguments& sharing, const std::string& tasks,
                 const Condition& resumed = "--shard");

/// "part-{shard}.jsonl" is "part-3.jsonl" of the third shard.
std::string path_of_shard(std::string path, const std::optional<Shard>& shard);

/// Throws UsageError where shards would write to one place.
void check_sharing(const SharingArguments& arguments, const std::string& output);

/// Of the program, the runs and everything else that a result depends on.
std::string job_digest(const SharingArguments& arguments, const std::string& tool,
                       const std::vector<std::string>& inputs);

/// How many of these tasks, from the first on, an earlier run of the same job left whole behind the
/// header; `visit` sees their lines, and what follows them is taken off the file. Throws InputError
/// where another job left it.
std::size_t kept_tasks(LinesFile& output, const std::string& header,
                       const std::vector<std::size_t>& tasks,
                       const std::function<void(std::string_view line)>& visit);

/// "perfmodel 0.1.0"
std::string tool_name();

/// The numbers of the tasks of a shard; of all where there is none.
std::vector<std::size_t> tasks_of_shard(std::size_t tasks, const std::optional<Shard>& shard);

/// A command whose tasks calls may share: a shard does its own and writes their results, merge
/// gives the command all results and has it make its document of them.
class TaskRun {
 public:
  /// Finds out whether the place of a shard can be written. `inputs` are the files that are read.
  TaskRun(const SharingArguments& arguments, const std::string& output,
          std::vector<std::string> inputs);

  bool is_shard() const { return arguments_.shard.has_value(); }

  /// Once it is known how many tasks there are. Null where nothing is shared. Throws InputError
  /// where results belong to other runs or options than these.
  const TaskShare* begin(std::size_t tasks);

  /// Of a shard: what it was for is done.
  void commit() { output_->commit(); }

 private:
  const SharingArguments& arguments_;
  std::vector<std::string> inputs_;
  std::unique_ptr<LinesFile> output_;
  std::optional<TaskShare> share_;
};

/// Takes failed runs away from the rows of each model, where that is asked for, and knows of all.
class FailedOfSet {
 public:
  explicit FailedOfSet(bool drop) : drop_(drop) {}

  /// Whether a run is left.
  bool take_away(LineRows& part);

  /// A sentence per measured column.
  std::vector<std::string> words() const;

 private:
  struct OfColumn {
    std::map<std::pair<std::string, std::string>, FailedRuns> by_cell;
    std::size_t rows = 0;  ///< with those that went well
  };
  bool drop_;
  std::map<std::string, OfColumn> columns_;
};

/// What part of a measured total the parts of a set add up to. The parts of a total are of the same
/// key those of other targets in its unit, or of its target those whose keys differ in the column
/// of the total alone.
struct SetShare {
  double percent = 0;       ///< the sum of predictions over the sum of measured totals
  std::string words;        ///< "the central runs of 3 totals"
  std::size_t without = 0;  ///< parts that have no model, or cannot be asked there
};

/// At the central run of each total, where one was measured. Nothing where none has a model.
std::optional<SetShare> share_of_total(const SetLines& set);

/// Over all rows of a table that are of a total.
std::optional<SetShare> share_of_total(const SetLines& set, const Table& runs, bool drop_failed);

/// Conditions on sets: 'any.mape>20', 'kernel=x,gpu=a.q[gpus]>0.2', 'total.share<95'.
bool is_set_figure(std::string_view name);

/// The words of messages about these.
inline constexpr auto kSetFigureWords =
    "; of many models 'any.' or groups such as 'kernel=x,gpu=a.' before it, constants such as "
    "q[gpus], or refused; or total.share";

/// A condition on any model looks at those that there are
/// (refused: at all); one that names a group without a model cannot be judged and fires. `share` is
/// that of the total.
std::vector<JudgedGate> judged_set_gates(const std::vector<Gate>& gates, const SetLines& set,
                                         const std::optional<SetShare>& share);

/// The same of models as they were fitted: throws GateError as check_gates() does.
void check_set_gates(const std::vector<Gate>& gates, const SetLines& set);

/// The models of a set by what they weigh: a table per target with the largest ones, and what
/// became of the rest. They are asked where their first scale is largest, or with these settings
/// (COL=VALUE), all else as in the central run of each. Throws UsageError for settings that no
/// model can have.
std::string set_summary(const SetLines& set, const Console& console,
                        const std::vector<std::string>& settings = {});

/// Settings (COL=VALUE) that many models are asked with, all else as in the central run of each.
class SetPlaces {
 public:
  explicit SetPlaces(const std::vector<std::string>& settings) : settings_(settings) {}

  /// Columns that a model does not have mean nothing to it; a level that it does not know leaves it
  /// without configurations.
  std::optional<SetConfigurations> of(const FittedModel& model);
  /// The same of one value each; throws UsageError where there are several.
  std::optional<Configuration> one_of(const FittedModel& model);

  /// When all were asked: throws UsageError where a column is one of no model, or none had a
  /// configuration.
  void check() const;

 private:
  std::vector<std::string> settings_;
  std::set<std::string> known_;  ///< settings of columns that some model has
  bool any_ = false;
  std::optional<UsageError> wrong_;
};

/// What the page of a set is asked for.
struct SetPageRequest {
  std::string model_file;  ///< base name
  std::vector<std::string> settings;
  std::string title;            ///< empty: of the files
  const Table* runs = nullptr;  ///< where the models are judged on some
  std::string runs_file = {};   ///< base name
  std::string runs_sha256 = {};
  std::string options;  ///< of the command that writes the page
  bool drop_failed = false;
};

/// The ranking of a set with what each model grows as, its largest part and whether it is
/// extrapolated there; behind it the pages of the most costly models.
page::SetContent set_page(const SetLines& set, const SetPageRequest& request, Console& console);

/// "2 of 9 models are missing: kernel=x time_s: ..."; empty where none are.
std::string refused_text(const SetLines& set);

}  // namespace perfmodel::cli
