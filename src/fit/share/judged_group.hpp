#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fit/sum/choose/choice_folds.hpp"
#include "fit/sum/terms/join_levels.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

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

}  // namespace perfmodel
