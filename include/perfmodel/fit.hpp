#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/model.hpp"

namespace perfmodel {

/// A table and the bytes from which it was read.
struct RunsFile {
  std::string path;   ///< "-": standard input; several names are joined by ", "
  std::string bytes;  ///< of all files as CSV, concatenated; empty if there is no file
  Table table;
  std::vector<DataFile> files{};     ///< empty unless there are several
  std::vector<FailedRuns> failed{};  ///< runs that were removed from the table
  Table failed_rows{};               ///< their rows, with the columns of the table
  std::string sha256{};              ///< digest of the file, unless it is that of `bytes`
  /// The columns that the format of the file declares as results of the runs.
  std::vector<std::string> results{};
  std::vector<std::string> notices{};    ///< sentences about what of the file is not in the table
  std::vector<std::string> described{};  ///< columns that facts describe, which are no inputs
  ReadingRules reading{};                ///< how it was read, and which of its runs count
};

/// Reads a file of any known format as a table, as read_csv() does, and keeps it as CSV. Its digest
/// is stored in the model. For a fit, `text_columns` are the columns that RoleRequest names as
/// categorical.
RunsFile read_runs(const std::string& path, const std::set<std::string>& text_columns = {},
                   const InputOptions& input = {}, const ReadProgress& progress = {});

/// Reads several files as one table. Throws InputError unless all have the same columns, in any
/// order, UsageError if a file is given twice.
RunsFile read_runs(const std::vector<std::string>& paths, const std::set<std::string>& text_columns,
                   const InputOptions& input, const ReadProgress& progress = {});

/// Appends the facts of `runs.reading` to the rows, and those of its fit whose columns the runs
/// lack. Throws InputError for texts without facts.
void append_facts(const std::set<std::string>& text_columns, RunsFile& runs);

/// What is asked for, and for the rest what the fit of a model did with its runs.
ReadingRules rules_as_in_fit(ReadingRules asked, const ReadingRules& of_fit);

/// Reads further runs for a model, of whose fit the rules are. Those that are used tell so in a
/// notice. Throws UsageError if there is no such column as the one of states asked for.
RunsFile read_further_runs(const std::vector<std::string>& paths,
                           const std::set<std::string>& text_columns, const ReadingRules& asked,
                           const ReadingRules& of_fit, const ReadProgress& progress = {});

/// Sentences about runs that do not count.
struct UncountedRuns {
  std::vector<std::string> notices;
  std::vector<std::string> warnings;
  std::size_t gaps = 0;  ///< rows without a value of an input
};

/// Leaves out those of the further runs that do not count by `runs.reading`: failed ones, those
/// that were cut off, whose times are unknown, and those without a value of an input. Failures are
/// those of judged_column(). Throws InputError if no run is left, unless it may be so.
UncountedRuns leave_out_uncounted(RunsFile& runs, const ModelSpec& spec, bool may_be_empty = false);

/// Runs without their bytes, and the cells of the columns of their files as texts: as they were
/// written, but for the numbers in place of those with decimal commas or marks of thousands.
struct WrittenRuns {
  RunsFile runs;
  std::vector<Column> cells{};
};

/// As read_runs(), with the cells.
WrittenRuns read_as_written(const std::vector<std::string>& paths, const InputOptions& input);

/// Removes the runs that failed according to their entry in the measured column. Returns a sentence
/// about them, or nullopt if there are none. Throws InputError if no run is left.
std::optional<std::string> drop_failed_runs(RunsFile& runs, const std::string& column,
                                            const std::set<std::string>& text_columns,
                                            FailedRunsAre how = FailedRunsAre::dropped);
/// Returns the measured column of runs on which a model is evaluated: the throughput if the model
/// has one and the runs contain it, otherwise the target.
std::string judged_column(const Table& runs, const ModelSpec& spec);

/// Returns sentences about decimal commas and marks of thousands, or nullopt if there were none.
std::optional<std::string> reading_notice(const Table& table);

/// Returns the file name without folders, which would reveal paths of this machine in results.
std::string base_name(const std::string& path);

/// Returns the description of the data that is stored in a model: base name, rows, digest and
/// inferred roles, but no path of this machine.
Provenance provenance_of(const RunsFile& runs, const Roles& roles);

/// Returns the categorical columns of a model, which are read as text even if they hold numbers.
std::set<std::string> categorical_columns(const ModelSpec& spec);

/// Seed of a random split if none is given.
constexpr std::uint64_t kDefaultSplitSeed = 1;

/// Runs with resolved column roles; derived columns are appended.
struct LabelledRuns {
  RunsFile file;
  Roles roles;
  std::vector<std::size_t>
      rows;  ///< ordered by content, so that random draws ignore the file's order
  /// About failed runs that are excluded, files with equal runs, numbers that are read as text.
  std::vector<std::string> warnings{};
};

/// Excludes failed runs and computes times from a throughput, each if requested. If the format of
/// the file declares results, one of them is the measured time, the others are no inputs, and rows
/// with a blank time are runs of which others were measured.
///
/// Throws InputError if the file has several results and none is requested or has the name of a
/// time, and what derive_as_requested(), with_time_of() and resolve_roles() throw.
LabelledRuns label_runs(RunsFile file, const RoleRequest& request);

/// Runs for a fit that adapts an earlier model: its columns have the roles that they have there.
/// They count by the request, and for the rest as there. Throws InputError if no run is left or if
/// columns that it derives exist already.
LabelledRuns label_runs(RunsFile file, const FittedModel& earlier, const RoleRequest& request);

/// The training, validation and test rows of runs. Splits without rows are nullopt.
struct PreparedRuns {
  Provenance provenance;
  ModelSpec spec;
  Design training;
  CentralRun central;  ///< of the training rows
  std::optional<Design> validation;
  std::optional<Design> test;
};

/// Throws InputError for validation or test numbers that are too large to be squared.
PreparedRuns prepare_runs(const LabelledRuns& runs, const Split& split);

/// Estimates that a fit derives from held-out rows.
struct HeldOutRequest {
  struct Folds {
    std::optional<std::size_t> count;  ///< nullopt: one fold per group
  };
  std::optional<Folds> folds;           ///< cross-validation over the training rows
  std::optional<std::string> group_by;  ///< nullopt: by configuration
  /// Level of the prediction intervals, in (0, 1). Nullopt: PredictionIntervals::default_level if
  /// there are enough rows for it.
  std::optional<double> coverage;
  bool intervals = true;  ///< false: no prediction intervals, a faster fit
};

/// Which training rows are held out together.
struct HeldOutPlan {
  std::optional<double> level;  ///< of the prediction intervals; nullopt: there are none
  /// Group index of each training row; empty if none is held out.
  std::vector<std::size_t> group_of{};
  std::vector<std::vector<std::size_t>> parts{};  ///< training rows of each requested fold
};

/// Returns the errors of predictions of a design's measured times. Throws InputError, which names
/// the split `part`, if they are not finite or the design is out of range.
Metrics measure(const Design& design, const Eigen::VectorXd& predicted, const std::string& part);
Metrics measure(const FittedModel& model, const Design& design, const std::string& part);

/// Reads a table of further runs, e.g. by read_csv(). A callback, because the text columns are
/// known only after the roles of the training runs are resolved.
using TestRunsReader = std::function<Table(const std::set<std::string>& text_columns)>;

/// Further runs on which a model is tested.
struct TestRuns {
  Design design;
  std::vector<std::string> warnings;  ///< sentences about rows that are left out
};

/// Excludes rows with a categorical level that the model was not trained on and runs that do not
/// count.
///
/// Throws InputError if no row is left or, if the test is `gated`, if any row is excluded: a gate
/// must not pass because the rows that it checks are missing.
TestRuns select_test_runs(Table table, const ModelSpec& spec, const ReadingRules& reading,
                          bool gated);

/// Bootstrap confidence intervals of the constants.
struct BootstrapRequest {
  std::size_t samples = 200;
  double confidence = 0.95;
};

/// Terms are chosen and corrected on so many training rows, a compromise: of 160,000 rows, all
/// instead take twice the time and have 0.94 of the error (docs/large-files.md).
constexpr std::size_t kRowsOfChoice = 50'000;

/// What to fit and how to evaluate it. Default: Eq. (4), fitted to all rows with one thread and
/// inferred column roles.
struct FitRequest {
  RoleRequest roles;
  /// Loss, search, threads, stop token. The observer is called only if there is a single fit. For a
  /// sum of products whose terms are chosen, and a formula of the user's own with a residual
  /// process, set the loss to default_loss().
  FitOptions options;
  SplitShares split;  ///< default: all rows train
  std::uint64_t split_seed = kDefaultSplitSeed;
  /// Of more training rows, so many are drawn at random. Nullopt: kRowsOfChoice if the terms are
  /// chosen, else all.
  std::optional<std::size_t> training_rows;
  TestRunsReader test_runs;  ///< excludes a test share in `split`
  bool gated = false;        ///< refuse, not exclude, test runs of unknown levels
  std::size_t repeats = 1;   ///< fits with the seeds N, N+1, ..., of which the best is kept
  std::optional<BootstrapRequest> bootstrap;
  HeldOutRequest held_out;
  FitProgress progress;  ///< of all stages; may be empty
};

/// Everything that is determined before the search begins.
struct PreparedFit : PreparedRuns {
  LabelledRuns runs;
  HeldOutPlan held_out;
  std::vector<std::string> warnings;  ///< sentences about excluded test runs
  bool is_drawn = false;              ///< the training rows, of which the last of the notices tells
};

/// Splits the rows, draws training rows, reads further runs and plans folds. Uses only the seed of
/// `request.options`.
///
/// Throws UsageError for impossible requests, InputError for unusable cells.
PreparedFit prepare_fit(LabelledRuns runs, const FitRequest& request);

struct FitOutcome {
  FittedModel model;  ///< complete: ready for to_json()
  Roles roles;
  std::vector<double> time_shares;  ///< time_shares() of the training rows
  double seconds = 0;               ///< duration of the search
  bool interrupted = false;         ///< the model is the best found before the stop
  /// About the runs, those of LabelledRuns first. Warnings about the model are in `model`.
  std::vector<std::string> warnings;
};

/// Fits and evaluates a model. After a stop request the outcome lacks the unfinished estimates.
///
/// Throws what fit(), cross_validate() and calibrate() throw, InputError if errors are not finite.
FitOutcome fit_prepared(const PreparedFit& prepared, const FitRequest& request);

/// Runs label_runs(), prepare_fit() and fit_prepared().
FitOutcome fit_runs(RunsFile runs, const FitRequest& request = {});

/// Fits runs that were not read from a file; the model then contains no digest.
FitOutcome fit_runs(Table runs, const FitRequest& request = {});

}  // namespace perfmodel
