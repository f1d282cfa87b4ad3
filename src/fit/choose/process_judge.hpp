#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "fit/residual/process_runs.hpp"
#include "fit/sum/choose/selection.hpp"

namespace perfmodel {

/// A trend, alone or with a process, and how it did on rows that it had not seen.
struct FormCandidate {
  Candidate trend;  ///< with the errors of the whole: those with the process, where there is one
  std::optional<ProcessShape> process = {};
  bool from_nothing = false;  ///< one product, whose constants only the process's fit finds
  bool was_chosen = false;    ///< what was chosen among forms without a process
};

/// Judges trends with a process by the rows that folds hold out.
class ProcessJudge {
 public:
  /// The runs of a fold beside the trend that was fitted to them.
  using RunsInFold = std::function<ProcessRuns(std::size_t fold, const Design& training)>;

  /// Both outlive this.
  ProcessJudge(const SelectionTask& task, const std::vector<Fold>& folds);

  /// One candidate per prior of the trend; scales whose far ends "as at the largest" predicts
  /// better are capped. Beside a trend that is held, the process says beyond the runs what it says
  /// at their edge: it does not return to a trend whose constants were not fitted beside it. The
  /// hyper-parameters are found once for the random parts, and anew for each far end, of which they
  /// must not know. Nothing where a stop was requested.
  std::vector<FormCandidate> operator()(const Candidate& trend, const ProcessShape& shape,
                                        const std::vector<TrendPrior>& priors,
                                        const RunsInFold& runs_in) const;

 private:
  struct FoldRows {
    Design training;
    Design held_out;
    Design capped;  ///< the held-out rows of a far end "as at the largest"
  };

  const SelectionTask& task_;
  const std::vector<Fold>& folds_;
  std::vector<FoldRows> rows_;
  /// What each run counts for: one that was disturbed is so beside any trend and in any fold.
  Eigen::VectorXd run_weights_;

  process::ProcessOptions in_folds() const;
  process::ProcessOptions in_fold(process::ProcessOptions how, std::size_t fold) const;
  void weigh_runs();

  std::optional<process::HyperParameters> hyper_of_random_parts(
      const RunsInFold& runs_in, const process::ProcessOptions& how) const;
};

}  // namespace perfmodel
