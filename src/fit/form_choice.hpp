#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "fit/fit_multi.hpp"
#include "fit/fit_with_process.hpp"
#include "fit/term_choice.hpp"
#include "perfmodel/model.hpp"

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

  /// One product, whose constants only the process's fit finds: a candidate per prior of them.
  std::vector<FormCandidate> beside_product(const Candidate& product,
                                            const std::vector<TrendPrior>& priors);

  /// A trend that is fitted already. Scales whose far ends "as at the largest" predicts better are
  /// capped. Beside a trend that is held, the process says beyond the runs what it says at their
  /// edge: it does not return to a trend whose constants were not fitted beside it.
  ///
  /// The hyper-parameters are found once for the random parts, and anew for each far end, of which
  /// they must not know. Where the process says less within the runs than beside one product, the
  /// likelihood took what the trend leaves for noise: a second candidate has the kernel from there.
  /// Nothing where a stop was requested.
  std::vector<FormCandidate> beside_fitted(const Candidate& trend, TrendPrior prior,
                                           const RunsInFold& runs_in);

 private:
  struct FoldRows {
    Design training;
    Design held_out;
    Design capped;  ///< the held-out rows of a far end "as at the largest"
  };

  using Hypers = std::vector<process::HyperParameters>;

  /// The runs of each fold and what the likelihood says of them.
  struct Searched {
    std::vector<ProcessRuns> runs;
    Hypers hypers;
  };

  const SelectionTask& task_;
  const std::vector<Fold>& folds_;
  std::vector<FoldRows> rows_;
  /// What each run counts for: one that was disturbed is so beside any trend and in any fold.
  Eigen::VectorXd run_weights_;
  /// By the columns that count as rings.
  std::map<std::vector<std::size_t>, Hypers> hypers_beside_product_;
  double log_error_beside_product_ = std::numeric_limits<double>::infinity();

  process::ProcessOptions in_folds() const;
  process::ProcessOptions in_fold(process::ProcessOptions how, std::size_t fold) const;
  void weigh_runs();
  double log_error_within(const FormCandidate& candidate) const;

  RunsInFold of_product(const std::vector<std::size_t>& rings) const;
  std::optional<Searched> searched(const RunsInFold& runs_in) const;
  const Hypers* hypers_beside_product(const std::vector<std::size_t>& rings);
  std::vector<FormCandidate> judged(const Candidate& trend, const ProcessShape& shape,
                                    const std::vector<TrendPrior>& priors,
                                    const Searched& found) const;
};

/// What a form was chosen from, by the rows that folds hold out.
struct FormSelection {
  std::vector<FormCandidate> tried;
  std::vector<Fold> folds;
  /// Which of `tried` it is; where it has no process, the sum that was chosen before, as it was.
  /// Nothing where a stop was requested.
  std::optional<std::size_t> chosen;

  /// The mean of |ln(predicted / measured)| over the random parts.
  double error_within(const FormCandidate& candidate) const;

  /// The process beside the sum that was chosen without.
  const FormCandidate* chosen_with_process() const;

  /// Eq. (4), the chosen trend alone, and the trend with a process, the best one where none was
  /// chosen.
  std::vector<HeldOutErrors> compared() const;
};

/// Chooses between the sum that was chosen among sums and the same, or one product, with a process:
/// of those that are as good as the best, one without a process before one with, fewer terms before
/// more.
FormSelection select_form(const SumChoice& sums);

/// Fits the form that cross-validation chooses, with a residual process where that predicts better.
FittedModel fit_auto(const ModelSpec& spec, const Design& training, const FitOptions& options);

}  // namespace perfmodel
