#pragma once

#include <Eigen/Core>

#include "choice/term_choice.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// A sum of product terms and the constants that were found for it.
struct SearchedSum {
  SumShape shape;
  SumFit fit;
  double ridge = 0;
};

/// Simplifies a fit: drops inputs without effect, replaces a term without inputs by C, and rounds
/// powers to plain values if the runs cannot tell them apart; in sums of few terms it also tries
/// another power of log2(n), and a C. All other constants are refitted each time.
///
/// The candidate with the least Bayesian information criterion (Schwarz 1978) for
/// Laplace-distributed errors wins: a constant may be dropped if that raises the loss of n runs by
/// at most the factor n^(1 / 2n). The loss of each row must be relative to its time, as that of
/// logarithms is. If a sum fits the runs to the last digits, they are fitted without the ridge.
SearchedSum simplified(const SelectionTask& task, const SearchedSum& sum);

/// The sum of products that cross-validation chooses, and the candidates.
class SumChoice {
 public:
  /// Chooses on a sample of the rows. Keeps references to its arguments.
  SumChoice(const ModelSpec& spec, const Design& training, const FitOptions& options);
  SumChoice(const SumChoice&) = delete;
  SumChoice& operator=(const SumChoice&) = delete;

  const SelectionTask& task() const { return task_; }
  const Selection& selection() const { return selection_; }
  /// The fits of all candidates, fold by fold.
  const CandidateJudge& judge() const { return judge_; }
  FormChoice facts() const;

  /// Fits the chosen candidate to all rows, with options that may have another loss.
  FittedModel fitted(const FitOptions& options) const { return fitted(selection_.chosen, options); }
  /// Fits another candidate to all rows.
  FittedModel fitted(const Candidate& candidate, const FitOptions& options) const;

 private:
  ModelSpec spec_;
  TermCoordinates coordinates_;
  std::vector<Fold> folds_;
  SelectionTask task_;
  CandidateJudge judge_;
  Selection selection_;

  Candidate with_steep_growth_clamped(const FittedModel& model, Candidate candidate) const;
};

/// Fits a sum of product terms whose form is given or chosen by cross-validation; Eq. (4) if no sum
/// is better.
FittedModel fit_sum(const ModelSpec& spec, const Design& training, const FitOptions& options);
const Fitter& sum_fitter();

}  // namespace perfmodel
