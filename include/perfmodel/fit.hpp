#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// How one model did on the runs of one file.
struct ModelScore {
  std::string name;
  std::size_t source = 0;  ///< index of the file
  std::string file;
  PartMetrics metrics;
  double fit_seconds = 0;
  /// Extrinsic columns and their powers; empty for a black box.
  std::vector<std::string> columns;
  std::vector<double> scaling_powers;
};

/// Which rows train and which test where a column is extrapolated.
struct Extrapolation {
  Split split;
  double limit = 0;  ///< rows up to this value train, the others test
};

/// Of these rows, trains on the lower values of a numeric column and tests on the higher ones: up
/// to `limit`, or else up to the value that leaves 60 % of the distinct values (rounded up, but not
/// all) to train.
///
/// Throws InputError where the column is missing or holds texts, UsageError where either side would
/// be empty.
Extrapolation split_by_value(const Table& table, std::span<const std::size_t> rows,
                             std::string_view column, std::optional<double> limit);

/// A table and the bytes it was read from, read once.
struct RunsFile {
  std::string path;   ///< "-": standard input; of several files, all
  std::string bytes;  ///< of several files, one after the other; empty where there is none
  Table table;
  std::vector<DataFile> files{};     ///< where there are several
  std::vector<FailedRuns> failed{};  ///< runs that are no longer in the table
  std::string sha256{};              ///< of bytes that were not kept
};

/// Reads a CSV file as read_csv() does and keeps its bytes, whose digest stands in the model. For a
/// fit, `text_columns` are those that RoleRequest names as categorical.
RunsFile read_runs(const std::string& path, const std::set<std::string>& text_columns = {},
                   std::optional<char> separator = {}, const ReadProgress& progress = {});

/// Several files as one table; their columns are the same, in any order. Throws InputError where
/// they are not, UsageError for a file that is given twice.
RunsFile read_runs(const std::vector<std::string>& paths, const std::set<std::string>& text_columns,
                   std::optional<char> separator, const ReadProgress& progress = {});

/// Takes out the runs of which the measured column says that they failed. Returns a sentence about
/// them; nothing where there are none. Throws InputError where none is left.
std::optional<std::string> drop_failed_runs(RunsFile& runs, const std::string& column,
                                            const std::set<std::string>& text_columns);
/// The one that tells the time of runs that a model judges or is judged on: its target, or the
/// throughput where the runs have it.
std::string judged_column(const Table& runs, const ModelSpec& spec);
/// The same for such runs; nothing where none tells a time.
std::optional<std::string> drop_failed_runs(RunsFile& runs, const ModelSpec& spec);

/// A sentence about numbers that were read in another way than they stand there: decimal commas.
std::optional<std::string> reading_notice(const Table& table);

/// The last part of a path: what a result says of a file, without folders of this machine. "-"
/// stays.
std::string base_name(const std::string& path);

/// What a model says about its data: base name, rows, digest and what was inferred
/// about its columns; no path of this machine.
Provenance provenance_of(const RunsFile& runs, const Roles& roles);

/// The columns of a model that are read as text whatever they hold.
std::set<std::string> categorical_columns(const ModelSpec& spec);

/// Where no seed of a split is given.
constexpr std::uint64_t kDefaultSplitSeed = 1;

/// Runs whose columns have their parts, with the derived columns behind their own.
struct LabelledRuns {
  RunsFile file;
  Roles roles;
  std::vector<std::size_t> rows;  ///< in the order of their content: what is drawn, is from these
  /// About failed runs that are left out, files with the same runs, numbers that are taken as
  /// texts.
  std::vector<Sentence> warnings{};
};

/// Leaves out failed runs and computes the time of a throughput where that is asked for.
///
/// Throws what derive_as_requested(), with_time_of() and resolve_roles() throw.
LabelledRuns label_runs(RunsFile file, const RoleRequest& request);

/// Runs with the parts that are trained and judged on. Parts without rows are empty.
struct PreparedRuns {
  Provenance provenance;
  ModelSpec spec;
  Design training;
  std::optional<Design> validation;
  std::optional<Design> test;
};

/// Throws InputError for numbers of a judging part that are too large to be squared.
PreparedRuns prepare_runs(const LabelledRuns& runs, const Split& split);

class TaskShare;

/// How the models of a comparison are fitted.
struct CompareRequest {
  FitOptions options;        ///< expression, loss and penalty are set model by model
  std::optional<Loss> loss;  ///< nothing: each expression has its own default
  double l1 = 0.001;         ///< of the second and third model; the lambda that the paper chose
  double l2 = 0.001;
};

/// Eq. (4) without a penalty and with either, a sum of product terms where its terms can be chosen
/// (terms_can_be_chosen()), one product with a residual process (which no other method than
/// `scaled` fits), and the black boxes that were built in, all on the same rows. `done` is told
/// after each how many of all models are done. Where calls share the models, which are numbered
/// from `first_task`, those of others are missing.
///
/// Throws Interrupted after a stop request.
std::vector<ModelScore> compare_models(
    const PreparedRuns& runs, const CompareRequest& request,
    const std::function<void(std::size_t done, std::size_t all)>& done = nullptr,
    const TaskShare* share = nullptr, std::size_t first_task = 0);

/// How many models compare_models() compares.
std::size_t compared_model_count(const ModelSpec& spec, const CompareRequest& request);

class TaskShare;

/// What a fit shall learn from rows that a fit has not seen.
struct HeldOutRequest {
  struct Folds {
    std::optional<std::size_t> count;  ///< nothing: one per group
  };
  std::optional<Folds> folds;           ///< cross-validation over the training rows
  std::optional<std::string> group_by;  ///< nothing: rows of one configuration stay together
  /// Of prediction intervals, above 0 and below 1. Nothing: PredictionIntervals::default_level, of
  /// as many rows as reach it.
  std::optional<double> coverage;
  bool intervals = true;  ///< without, the model has none and the fit takes less time
};

/// Which training rows are held out together.
struct HeldOutPlan {
  /// By training row; empty where nothing is held out.
  std::vector<std::size_t> group_of;
  std::vector<std::vector<std::size_t>> parts;  ///< of the folds that are asked for
  std::optional<std::string> group_by;
};

/// Settles before a long fit whether what was asked for can be had. Throws UsageError.
HeldOutPlan plan_held_out(const HeldOutRequest& request, const Table& table, const Split& split,
                          const Design& training, std::uint64_t seed);

/// The parts of the data that judge, besides the training rows. Either may be missing.
struct JudgingParts {
  std::optional<Design> validation;
  std::optional<Design> test;
};

/// Cross-validates and calibrates as asked for, and counts how many of the test rows lie in their
/// intervals. Where a stop request cuts that short the model is without. `fold_done` is told how
/// many folds are done, from one thread at a time. Of shared folds, which are numbered from
/// `first_fold`, all are there.
void add_held_out(const HeldOutRequest& request, const HeldOutPlan& plan, const Design& training,
                  const JudgingParts& judging, const FitOptions& options, FittedModel& model,
                  const std::function<void(std::size_t)>& fold_done,
                  const TaskShare* share = nullptr, std::size_t first_fold = 0);

/// How far predictions are from the measured times of a design. Throws InputError, with `part` to
/// say where, if the errors are no numbers.
Metrics measure(const Design& design, const Eigen::VectorXd& predicted, const std::string& part);
Metrics measure(const FittedModel& model, const Design& design, const std::string& part);

/// Gives a table of further runs with these columns read as text, read_csv() say: which ones is
/// known only when the parts of the columns of the runs are.
using TestRunsReader = std::function<Table(const std::set<std::string>& text_columns)>;

/// Further runs to judge a model on.
struct TestRuns {
  Design design;
  std::optional<std::string> left_out;  ///< a whole sentence about rows that cannot be judged
};

/// Rows with a level that no run behind the model has are left out.
///
/// Throws InputError where no row is left, and, if the test is `gated`, for any such row: a gate
/// must not pass because the rows that it is about are missing.
TestRuns select_test_runs(const Table& table, const ModelSpec& spec, bool gated);

class TaskShare;

/// Intervals of the constants from resampled training rows.
struct BootstrapRequest {
  std::size_t samples = 200;
  double confidence = 0.95;
};

/// What shall be fitted and judged. As it stands: Eq. (4), fitted to all rows with one thread, the
/// parts of the columns inferred.
struct FitRequest {
  RoleRequest roles;
  /// Loss, search, threads, stop token. The observer hears of the fit only where it is a single
  /// one. For a sum of products whose terms are chosen, set its loss to default_loss().
  FitOptions options;
  SplitShares split;  ///< all rows train
  std::uint64_t split_seed = kDefaultSplitSeed;
  TestRunsReader test_runs;  ///< further runs to judge on; not together with a test share
  bool gated = false;        ///< refuse test runs of unknown levels instead of leaving them out
  std::size_t repeats = 1;   ///< fits with the seeds N, N+1, ...; the best is the model
  std::optional<BootstrapRequest> bootstrap;
  HeldOutRequest held_out;
  FitProgress progress;  ///< of all stages; may be empty
  /// Where several calls share fits, samples and folds: all results, from which the model is made.
  const TaskShare* share = nullptr;
};

/// Everything that is settled before the search begins.
struct PreparedFit {
  LabelledRuns runs;
  ModelSpec spec;
  Design training;
  CentralRun central;  ///< of the training rows
  JudgingParts judging;
  HeldOutPlan held_out;
  std::vector<std::string> warnings;  ///< whole sentences: about test runs that are left out
};

/// Splits, reads further runs and plans folds. Of `request.options` it looks at the seed alone.
///
/// Throws UsageError for what cannot be had, InputError for cells that cannot be used.
PreparedFit prepare_fit(LabelledRuns runs, const FitRequest& request);

struct FitOutcome {
  FittedModel model;  ///< complete: to_json() writes it
  Roles roles;
  std::vector<double> time_shares;  ///< as time_shares() gives them, of the training rows
  double seconds = 0;               ///< of the search
  bool interrupted = false;         ///< the model is the best that was found until then
  /// About the runs, those of LabelledRuns first; those about the model are in it.
  std::vector<std::string> warnings;
};

/// Fits and judges. A stop request makes an outcome, too: what was not reached is missing in it.
///
/// Throws what fit(), cross_validate() and calibrate() throw, InputError where errors are no
/// numbers.
FitOutcome fit_prepared(const PreparedFit& prepared, const FitRequest& request);

/// From measured runs to a model: label_runs(), prepare_fit() and fit_prepared().
FitOutcome fit_runs(RunsFile runs, const FitRequest& request = {});

/// The same for runs that were not read from a file; the model knows no digest of them.
FitOutcome fit_runs(Table runs, const FitRequest& request = {});

}  // namespace perfmodel
