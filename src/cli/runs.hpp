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
#include "page/page.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/predict.hpp"
#include "perfmodel/table.hpp"
#include "report/model_set.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel::cli {

Option add_strict_range(OptionSet& app, bool& strict);

/// Warns of the text and its consequence or, if `strict`, throws InputError with the text.
void warn_or_refuse(const std::string& text, const std::string& consequence, bool strict,
                    Console& console);

/// Warns of every finding or, if `strict`, throws InputError with all of them.
void report_range(const RangeCheck& check, bool strict, Console& console);

/// The lines of a model set in memory or in a text; of a text, one line at a time is in memory.
/// They can be visited repeatedly.
class SetLines {
 public:
  /// Visits the lines of a text after its header.
  using ShowText = std::function<void(const std::function<void(std::string_view text)>& visit)>;

  /// `set` must outlive this object.
  explicit SetLines(const ModelSet& set)
      : SetLines(std::shared_ptr<const ModelSet>(std::shared_ptr<void>(), &set)) {}
  explicit SetLines(std::shared_ptr<const ModelSet> set);
  SetLines(std::string source, ModelSetHeader header, ShowText text);
  /// The lines of a file with this header.
  SetLines(const TextLines& file, ModelSetHeader header);

  const ModelSetHeader& header() const { return header_; }
  std::size_t size() const;
  void for_each(const std::function<void(const ModelSetLine&)>& visit) const;
  /// Visits only lines for which `is_wanted` is true. It must not use the model, which is parsed
  /// from a text only afterwards.
  void for_each(const std::function<bool(const ModelSetLine&)>& is_wanted,
                const std::function<void(const ModelSetLine&)>& visit) const;
  /// Restricts the set to the lines with `true`.
  void keep(std::vector<bool> kept) { kept_ = std::move(kept); }

 private:
  std::shared_ptr<const ModelSet> set_;
  std::string source_;
  ModelSetHeader header_;
  ShowText text_;
  std::vector<bool> kept_;  ///< per line; empty: all

  bool is_kept(std::size_t line) const { return kept_.empty() || kept_[line]; }
};

/// The model, the runs that judge it, and how they are read.
struct JudgedRunsArguments {
  std::string model;
  std::string pick;
  std::string runs;
  std::optional<std::string> target;  ///< nullopt: the model's
  InputOptions input;
  bool drop_failed = false;
  /// Number of runs to which the file is thinned for a model with a residual process, whose
  /// predictions are slow.
  std::optional<std::size_t> most_of_process;
};

/// Adds the arguments MODEL.json and RUNS.csv, --target, --separator and --failed.
void add_judged_runs(OptionSet& command, JudgedRunsArguments& arguments, bool needs_runs = true);

struct Predictions {
  Eigen::VectorXd values;
  std::vector<std::size_t> without_time;  ///< rows whose value is no valid time, ascending
};

/// Measured runs and their predictions.
struct JudgedRuns {
  RunsFile file;
  std::optional<std::size_t> sampled_from;  ///< number of rows of the file if the table is a sample
  std::vector<std::size_t> rows;            ///< judged rows of the table
  std::vector<std::uint32_t> lines;         ///< of the judged rows
  Design design;                            ///< of the judged rows
  Eigen::VectorXd predicted;                ///< per judged row
  RangeCheck range;                         ///< of all rows
  std::optional<std::string> left_out_text;  ///< about rows without a valid predicted time

  std::size_t left_out() const { return file.table.rows() - rows.size(); }
  /// Judges all rows of the table that have a valid predicted time. Throws InputError if none has.
  void judge(const Predictions& predictions);
  /// Removes judged rows, with everything that belongs to them. `some`: ascending indices into
  /// `rows`. Throws InputError if no row is left.
  void leave_out(const std::vector<std::size_t>& some);
};

/// Reads the runs that judge the model of a one-line set: the rows that match the line's key. Warns
/// of rows out of range, and of rows without a valid predicted time, which are left out.
///
/// Throws InputError for rows that the model cannot take, if no row is left and, with
/// `strict_range`, for rows that are out of range or have no valid predicted time.
JudgedRuns judge_runs(const SetLines& set, const JudgedRunsArguments& arguments, bool strict_range,
                      Console& console);

/// The content of a page that follows from the judged runs.
page::Source page_source(const FittedModel& model, const std::string& model_file,
                         const page::FileFacts& runs, const JudgedRuns& judged);

/// An older model and its predictions for the judged runs.
struct BaselineRuns {
  FittedModel model;
  Eigen::VectorXd predicted;
};

/// Judges the model of `file` on the same runs; it may use other columns than `model`. Rows without
/// a valid predicted time are left out for both.
BaselineRuns judge_baseline(const std::string& file, const JudgedRunsArguments& arguments,
                            const FittedModel& model, JudgedRuns& runs, bool strict_range,
                            Console& console);

/// Throws InputError if the table already has one of these columns.
void refuse_taken_names(const Table& table, const std::vector<std::string>& names);

/// Writes the lines of the file unchanged, each followed by the cells of new columns: numbers, or
/// words without blanks, with the file's separator and decimal commas. Returns the exit code: 0, or
/// 128 plus the signal that ended the work.
int append_columns(std::string_view bytes, const Table& table,
                   const std::vector<std::string>& names,
                   const std::function<std::vector<std::string>(std::size_t row)>& cells,
                   OutputFile& output);

/// Writes the result, completes it and returns the exit code 0.
int finish(OutputFile& output, std::string_view result);

/// Reads runs; what was decided about the format of the file is a notice.
RunsFile read_noted(const std::string& path, const std::set<std::string>& text_columns,
                    const InputOptions& input, Console& console, const ReadProgress& progress = {});

Predictions predictions_of(const FittedModel& model, const Design& design);

/// Warns of rows without a valid time, followed by `consequence`; if `strict`, throws InputError.
void report_without_time(const Predictions& predictions, const Table& table,
                         const std::string& consequence, bool strict, Console& console);

/// Warns if there were no more training rows than constants.
void report_few_rows(const FittedModel& model, Console& console);

/// Warns of rows in which an input of 0 cancels every growing term, so that only the constant of
/// the formula is left, whatever the other inputs. `lines` are named if there are several rows.
void report_constants(const FittedModel& model, const Design& design, const Eigen::VectorXd& times,
                      const std::vector<std::uint32_t>& lines, Console& console);

/// The predicted time of every row, for single configurations and for callers that need all rows.
/// Throws InputError, with the places that `where` returns, if some are no valid times.
Eigen::VectorXd predicted_times(const FittedModel& model, const Design& design,
                                const std::function<std::string(std::size_t row)>& where);

void add_pick(OptionSet& app, std::string& pick);

/// The models of a file that match a condition on key columns and `target` (empty: all). One at a
/// time is in memory. A file of a single model is a set of one line without a key, from which
/// nothing can be picked. Throws InputError if no line matches.
SetLines picked_models(const std::string& path, const std::string& pick);

/// The run at which the models of a file are compared, picked or not, so that their inputs do not
/// differ: the central one of the model with the most rows.
class CommonRun {
 public:
  /// `settings`: COL=VALUE of columns that are set otherwise.
  explicit CommonRun(SetLines set, const std::vector<std::string>& settings = {});

  /// The model with this as its central run, as far as it has these inputs and levels.
  FittedModel moved(FittedModel model) const;
  /// "at stride=2": the inputs in which a moved model differs from it.
  std::string unlike(const FittedModel& moved) const;
  /// "the central run of device=a100 (line 12): stride=1", without the value of a column that is
  /// set otherwise; "the central run of each" if the models name no runs.
  std::string words(const std::string& but = {}) const;

 private:
  std::string of_;
  std::uint32_t line_ = 0;
  std::map<std::string, std::string> values_;  ///< of the inputs of all models
};

/// The only model of picked_models(), at the common run of its file. Throws UsageError if there are
/// several, InputError if it could not be fitted.
FittedModel picked_model(const std::string& path, const std::string& pick);

/// The only model of the set; throws as picked_model() does.
FittedModel model_of(const SetLines& set);

/// True if the set has keys, false for the file of a single model.
bool has_keys(const SetLines& set);

/// The columns to be read as text so that the rows of each model can be found.
std::set<std::string> text_columns_of(const SetLines& set);

/// The rows of a table that belong to a line of a set.
struct LineRows {
  const ModelSetLine& line;
  const std::vector<std::size_t>& rows;
  Table table;  ///< these rows
};

/// Visits every line that has a model and rows in the table. Throws InputError if the table lacks a
/// key column.
void for_each_with_rows(const SetLines& set, const Table& table,
                        const std::function<void(LineRows part)>& visit);

/// Adds `--folds`, `--group-by` and `--coverage` of fit.
void add_held_out_options(OptionSet& app, HeldOutRequest& request);

/// Adds only `--coverage L`, for commands that read a model.
void add_coverage(OptionSet& app, std::optional<double>& coverage, const std::string& description);

/// The level of the intervals: `coverage` or, without it, the model's. If the model of `file` has
/// no intervals, returns nullopt, or throws InputError if `coverage` is given.
std::optional<double> interval_level(const FittedModel& model, std::optional<double> coverage,
                                     const std::string& file);

struct Certainty {
  std::optional<double> level{};            ///< that of interval_level()
  std::optional<ProcessReach> reach{};      ///< only for a model with a residual process
  std::optional<RowIntervals> intervals{};  ///< of that level; nullopt if there is none
};

Certainty certainty_of(const FittedModel& model, std::optional<double> coverage,
                       const std::string& file, const Design& design);

/// The summary's section on cross-validation and intervals; empty if the model has neither.
std::string held_out_section(const FittedModel& model, const Console& console);

/// "a bound: 95 % of new runs are meant to stay at or below it".
std::string bound_notice(const Bound& bound);

/// Arguments of a command whose tasks several calls can share.
struct SharingArguments {
  std::optional<Shard> shard;
  bool resume = false;
  std::string settings;  ///< set by the program: options that results depend on, in a fixed order
};

/// Adds `--shard` and `--resume`, which need the condition `many`.
void add_sharing(OptionSet& app, SharingArguments& sharing, const Condition& many);

/// "perfmodel 0.1.0"
std::string tool_name();

/// The output of a command with numbered tasks: a header and a JSON line per task. Of a shard,
/// those of its tasks, which `merge` joins.
class TaskRun {
 public:
  /// Opens the output, so that an unwritable one is reported early. "part-{shard}.jsonl" is
  /// "part-3.jsonl" for the third shard. Throws UsageError if shards would write to one file, or if
  /// results would replace one of the input files.
  TaskRun(const SharingArguments& arguments, const std::string& output,
          const std::vector<std::string>& inputs);

  /// The fields that all headers have; `inputs`: names and digests of the input files.
  TasksHeader header(std::size_t tasks, const std::vector<std::string>& inputs) const;
  /// Writes the header or, with --resume, compares it with that of an earlier run, whose lines are
  /// passed to `visit`. Returns the numbers of the tasks that are left. Throws InputError if the
  /// lines are of other runs or options.
  std::vector<std::size_t> resume(const TasksHeader& tasks, const std::string& header,
                                  const std::function<void(std::string_view line)>& visit);
  LinesFile& results() { return *results_; }
  /// Path of the results.
  const std::string& path() const { return path_; }

 private:
  const SharingArguments& arguments_;
  std::string path_;
  std::optional<LinesFile> results_;
};

/// Removes failed runs from the rows of each model if `drop`, and counts them.
class FailedOfSet {
 public:
  explicit FailedOfSet(bool drop) : drop_(drop) {}

  /// Returns false if no run is left.
  bool take_away(LineRows& part);

  /// Returns a sentence per measured column.
  std::vector<std::string> words() const;

 private:
  struct OfColumn {
    std::map<std::pair<std::string, std::string>, FailedRuns> by_cell;
    std::size_t rows = 0;  ///< including successful runs
  };
  bool drop_;
  std::map<std::string, OfColumn> columns_;
};

/// The metrics of the test part, else of the training part and, with prefixes such as "folds.",
/// those of each part. `group`: words for all of them in messages; empty: the names of the parts.
std::vector<Figure> figures_of_parts(const FittedModel& model, const std::string& group = "");

/// True for figures of conditions on sets: 'any.mape>20', 'kernel=x,gpu=a.q[gpus]>0.2'.
bool is_set_figure(std::string_view name);

/// Description of these figures in messages.
inline constexpr auto kSetFigureWords =
    "; of many models 'any.' or groups such as 'kernel=x,gpu=a.' before it, constants such as "
    "q[gpus], or refused";

/// Throws UsageError for conditions on other figures.
void require_set_figures(const std::vector<Gate>& gates);

/// Evaluates conditions on a set. 'any' covers the lines with a model ('refused': all lines). A
/// condition on a group without a model fires.
std::vector<JudgedGate> judged_set_gates(const std::vector<Gate>& gates, const SetLines& set);

/// Throws GateError as check_gates() does if a condition on the fitted models fires.
void check_set_gates(const std::vector<Gate>& gates, const SetLines& set);

/// Ranks the models of a set by predicted time: a table per target with the largest ones, and a
/// summary of the rest. They are compared at the largest value of their first scale, or at these
/// settings (COL=VALUE), with all other inputs as in their common run. Throws UsageError for
/// settings that no model can have.
std::string set_summary(const SetLines& set, const Console& console,
                        const std::vector<std::string>& settings = {});

/// Configurations given by settings (COL=VALUE) for many models, with all other inputs as in the
/// central run of each, which CommonRun::moved() makes one for all.
class SetPlaces {
 public:
  /// `keys`: the columns by which the models differ.
  SetPlaces(const std::vector<std::string>& settings, const std::vector<std::string>& keys)
      : settings_(settings), keys_(keys) {}

  /// Ignores columns that the model does not have. Returns nullopt for a level that it does not
  /// know.
  std::optional<SetConfigurations> of(const FittedModel& model);
  /// Returns the single configuration; throws UsageError if there are several.
  std::optional<Configuration> one_of(const FittedModel& model);

  /// Called after all models: throws UsageError if a column is in no model, or if no model has a
  /// configuration.
  void check() const;

 private:
  std::vector<std::string> settings_;
  std::vector<std::string> keys_;
  std::set<std::string> known_;  ///< settings whose column is in some model
  bool any_ = false;
  std::optional<UsageError> wrong_;
};

struct SetPageRequest {
  std::string model_file;  ///< base name
  std::vector<std::string> settings;
  std::string title;            ///< empty: made from the file names
  const Table* runs = nullptr;  ///< null: the models are not judged
  std::string runs_file = {};   ///< base name
  std::string runs_sha256 = {};
  std::string command;  ///< that writes the page
  bool drop_failed = false;
};

/// The ranking of a set with each model's growth, its largest share and whether it is extrapolated,
/// followed by the pages of the costliest models.
page::SetContent set_page(const SetLines& set, const SetPageRequest& request, Console& console);

/// "2 of 9 models are missing: kernel=x time_s: ..."; empty if none are.
std::string refused_text(const SetLines& set);

}  // namespace perfmodel::cli
