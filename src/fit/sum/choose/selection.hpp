#pragma once

#include <optional>
#include <vector>

#include "fit/sum/choose/choice_folds.hpp"
#include "fit/sum/descent/term_search.hpp"
#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

/// One way to fit the runs, and how it did on rows that it had not seen.
struct Candidate {
  bool generic = false;  ///< Eq. (4); shape and ridge then play no part
  SumShape shape;
  double ridge = 1e-4;
  std::vector<double> log_errors;  ///< per fold: ln of the mean error of its held-out rows
  /// The same where the scale of a far end counts as at the largest value of the training rows.
  std::vector<double> capped_log_errors = {};
  double score = 0;   ///< their weighted mean
  double growth = 0;  ///< beyond the measured range, see FarPoints::growth()
};

/// What all candidates have in common.
struct SelectionTask {
  const TermCoordinates& coordinates;
  const ModelSpec& spec;
  const Design& training;
  const FitOptions& options;
};

/// These rows of the coordinates' data, as rows of the design.
Design design_of(const SelectionTask& task, const std::vector<Eigen::Index>& rows);

struct Selection {
  Candidate chosen;
  Candidate best;  ///< what it is as good as
  std::vector<Candidate> tried;
  std::vector<Fold> folds;  ///< empty where there were too few rows to choose
};

/// Chooses terms, C, regimes, logarithms and ridge by cross-validation whose folds also hold out
/// the far end of each scale: terms, C and regimes in all combinations, then step by step from the
/// best so far, and at last a simple and cautious one that is as good as the best. Eq. (4)
/// and the constant are among the candidates. Of many rows a part is looked at.
Selection select_shape(const SelectionTask& task);

/// Where there are far more rows than were looked at, they can bear more terms: the best families
/// are judged again, on many more of the rows.
void look_closer(const SelectionTask& task, Selection& selection);

/// The same for one level of a column, by the folds of the whole and among sums alone.
Selection select_shape_of_level(const SelectionTask& task, std::vector<Fold> folds);

}  // namespace perfmodel
