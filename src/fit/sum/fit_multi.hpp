#pragma once

#include <optional>

#include "fit/sum/choose/parting.hpp"
#include "fit/sum/choose/selection.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// The sum of products that cross-validation chooses, with all that it was chosen from.
class SumChoice {
 public:
  /// Chooses. What it is given must outlive it.
  SumChoice(const ModelSpec& spec, const Design& training, const FitOptions& options);
  SumChoice(const SumChoice&) = delete;
  SumChoice& operator=(const SumChoice&) = delete;

  const SelectionTask& task() const { return task_; }
  const Selection& selection() const { return selection_; }
  const std::optional<Parting>& parting() const { return parting_; }
  FormChoice facts() const;

  /// What was chosen, on all rows.
  FittedModel fitted() const;
  /// Another candidate, for all rows together.
  FittedModel fitted(const Candidate& candidate) const;

 private:
  ModelSpec spec_;
  TermCoordinates coordinates_;
  SelectionTask task_;
  Selection selection_;
  std::optional<Parting> parting_;
};

/// Fits a sum of product terms whose form is given or chosen by cross-validation; where nothing is
/// better, Eq. (4).
FittedModel fit_multi(const ModelSpec& spec, const Design& training, const FitOptions& options);

}  // namespace perfmodel
