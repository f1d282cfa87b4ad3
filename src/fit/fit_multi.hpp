#pragma once

#include <Eigen/Core>
#include <optional>

#include "fit/sum_terms.hpp"
#include "fit/term_choice.hpp"
#include "forms/form.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// Fits a sum of product terms that was fitted already to other runs of the same kind: one descent
/// from its constants, with its terms, its C and what it minimises as they are. What plays no part
/// stays out: powers of exactly 0, factors of exactly 1 and factors of 0.
class SumRefit final : public Refit {
 public:
  /// `options` are those of the fit.
  SumRefit(const FittedModel& model, const FitOptions& options);

  /// Constants in the order of the model's.
  Refitted operator()(const Design& runs) const override;

  std::size_t free_constants() const override { return perfmodel::free_constants(sum_); }

 private:
  const FittedModel& model_;
  const FitOptions& options_;
  FittedSum sum_;
};

/// The sum of products that cross-validation chooses, with all that it was chosen from.
class SumChoice {
 public:
  /// Chooses, for all rows together, from a part of them. What it is given must outlive it.
  SumChoice(const ModelSpec& spec, const Design& training, const FitOptions& options);
  SumChoice(const SumChoice&) = delete;
  SumChoice& operator=(const SumChoice&) = delete;

  const SelectionTask& task() const { return task_; }
  const Selection& selection() const { return selection_; }
  /// The fits of all that was tried, fold by fold.
  const CandidateJudge& judge() const { return judge_; }
  FormChoice facts() const;

  /// What was chosen, on all rows.
  FittedModel fitted() const;
  /// Another candidate, on all rows.
  FittedModel fitted(const Candidate& candidate) const;

 private:
  ModelSpec spec_;
  TermCoordinates coordinates_;
  SelectionTask task_;
  std::vector<Fold> folds_;
  CandidateJudge judge_;
  Selection selection_;

  Candidate with_steep_growth_capped(const FittedModel& model, Candidate candidate) const;
};

/// Fits a sum of product terms whose form is given or chosen by cross-validation; where nothing is
/// better, Eq. (4).
FittedModel fit_multi(const ModelSpec& spec, const Design& training, const FitOptions& options);

}  // namespace perfmodel
