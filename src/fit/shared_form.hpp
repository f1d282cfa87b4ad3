#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "fit/sum_terms.hpp"
#include "fit/term_choice.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// A fit that chooses a form for these runs alone.
using OwnFit = FittedModel (*)(const ModelSpec&, const Design&, const FitOptions&);

/// By how much a shared form predicts the rows of one group better, see SharedLead.
struct GroupLead {
  double mean = 0;
  double variance = 0;  ///< of the mean, as the rows scatter
};

/// One group with the rows that forms are judged by: folds, whose training rows are thinned to what
/// groups of fewer rows have.
class JudgedGroup {
 public:
  /// `sizes`: rows of the groups that are stood for. What it is given outlives it.
  JudgedGroup(LevelRuns runs, const std::vector<std::size_t>& sizes, const FitOptions& options);

  bool judges() const { return !parts_.empty(); }

  /// The mean over all parts of the logarithm of the error of held-out rows.
  double error(const SharedForm& form) const;

  /// Of random parts, fitted to as many rows as groups of that size train on. Nothing where the
  /// group has too few, and where no form of its own can be fitted.
  std::optional<GroupLead> lead(const SharedForm& form, OwnFit own, std::size_t size) const;

 private:
  struct Part {
    std::size_t size;  ///< of the group that it stands for
    bool far_end;
    Design training;
    Design held_out;
    TermCoordinates coordinates;

    Part(const ModelSpec& spec, std::size_t of, bool far, Design fitted, Design judged);
  };

  const FitOptions& options_;
  LevelRuns runs_;
  std::vector<std::unique_ptr<Part>> parts_;

  Eigen::VectorXd shared_prediction(const Part& part, const SharedForm& form) const;
};

/// Shape and common constants of a sum, by the names of its columns; times as the task has them.
SharedForm shared_form_of(const SelectionTask& task, const SumShape& shape,
                          const Eigen::VectorXd& theta);

/// The constants of a group of runs for a form that it shares with others: one descent from the
/// common ones, of which each row takes them further away where the runs say so. A C is searched
/// as a term that nothing changes.
SumOfTerms search_shared_sum(const SelectionTask& task, const SharedForm& form);

/// The sum that the levels of a categorical column share, each with constants of its own.
///
/// All rows together, each level's typical time taken away, say which terms there are, with the
/// column among their inputs. How many of them, with C or not, and how far the constants of a level
/// may leave the common ones is what predicts held-out rows of the levels best, each fitted to the
/// others of its rows, and to as few of them as the groups of these `sizes` have. Beside that it is
/// compared with what `own` chooses for such rows.
SharedForm choose_shared_form(const ModelSpec& spec, const Design& runs, std::size_t column,
                              const std::vector<std::size_t>& sizes, const FitOptions& options,
                              OwnFit own);

/// Fits the form of `options.shared_form`, or what `own` chooses, whichever is expected to predict
/// further rows of the group better: as it was for groups of as many rows, where these agree, else
/// as it is for held-out rows of the group itself, weighed with what is known of the others.
FittedModel fit_shared(const ModelSpec& spec, const Design& training, const FitOptions& options,
                       OwnFit own);

}  // namespace perfmodel
