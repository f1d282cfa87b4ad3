#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/data/split.hpp"
#include "perfmodel/data/table.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/fit/task/fit_options.hpp"
#include "perfmodel/model/columns/roles.hpp"
#include "perfmodel/pipeline/held_out.hpp"
#include "perfmodel/pipeline/judging.hpp"
#include "perfmodel/pipeline/prepared_runs.hpp"
#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel {

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
