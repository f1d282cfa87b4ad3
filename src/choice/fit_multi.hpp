#pragma once

#include <Eigen/Core>
#include <optional>

#include "choice/term_choice.hpp"
#include "forms/form.hpp"
#include "perfmodel/model.hpp"
#include "sums/sum_terms.hpp"

namespace perfmodel {

/// Refits a fitted sum of product terms to other runs of the same kind: one descent from its
/// constants, with the same terms, C and objective. Constants without effect stay fixed: powers of
/// exactly 0, factors of exactly 1 and factors of 0.
class SumRefit final : public Refit {
 public:
  /// `options` are those of the fit.
  SumRefit(const FittedModel& model, const FitOptions& options);

  /// Returns constants in the order of the model's.
  Refitted operator()(const Design& runs) const override;

  std::size_t free_constants() const override { return perfmodel::free_constants(sum_); }

 private:
  const FittedModel& model_;
  const FitOptions& options_;
  FittedSum sum_;
};

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
  SelectionTask task_;
  std::vector<Fold> folds_;
  CandidateJudge judge_;
  Selection selection_;

  Candidate with_steep_growth_clamped(const FittedModel& model, Candidate candidate) const;
};

/// Fits a sum of product terms whose form is given or chosen by cross-validation; Eq. (4) if no sum
/// is better.
FittedModel fit_multi(const ModelSpec& spec, const Design& training, const FitOptions& options);

}  // namespace perfmodel
