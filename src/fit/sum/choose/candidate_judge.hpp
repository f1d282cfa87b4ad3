#pragma once

#include <optional>
#include <vector>

#include "fit/sum/choose/far_points.hpp"
#include "fit/sum/choose/selection.hpp"

namespace perfmodel {

/// What shares one path of fits with 1, 2, ... terms.
bool same_family(const Candidate& a, const Candidate& b);

/// Judges candidates by the rows that folds hold out. The fits of a family are kept: asked for more
/// of its terms, they go on from there.
class CandidateJudge {
 public:
  /// The folds outlive this.
  CandidateJudge(const SelectionTask& task, const std::vector<Fold>& folds);

  /// Fits every candidate to every fold, in parallel, and scores it on what was held out. A sum
  /// comes back as several candidates: with 1, 2, ..., shape.terms terms, which are fitted on the
  /// way. Left out are numbers of terms with more constants than there are training rows (within a
  /// fold the ridge makes up for rows that are missing), and what has no time for some row.
  std::vector<Candidate> operator()(const std::vector<Candidate>& candidates);

  /// Those that have, with all their terms, smaller errors on some of the folds than another that
  /// was judged on all.
  std::vector<Candidate> better_on(const std::vector<std::size_t>& folds,
                                   const std::vector<Candidate>& candidates, const Candidate& than);

  /// The constants of a candidate that was judged, fitted to the training rows of a fold: those of
  /// Eq. (4), or in the order of MultiLayout.
  Eigen::VectorXd constants_in(const Candidate& candidate, std::size_t fold) const;
  /// The fit of a sum that was judged to the training rows of a fold.
  const SumFit& fit_in(const Candidate& sum, std::size_t fold) const;

 private:
  /// A family in one fold, for each number of terms.
  struct FoldPath {
    std::vector<SumFit> fits;
    std::vector<double> log_errors;
    /// Of far ends: where their scale counts as at the largest value of the training rows.
    std::vector<double> capped_log_errors;
    std::vector<FarPredictions> far_predictions;  ///< of random parts alone
    Eigen::VectorXd generic_constants;            ///< of Eq. (4)
  };

  struct Family {
    Candidate widest;  ///< with the most terms that were asked for
    std::vector<FoldPath> of_fold;
    std::optional<std::size_t> like;  ///< one that was fitted before and differs little
  };

  struct Asked {
    Candidate candidate;
    std::size_t family;
  };

  SelectionTask task_;
  const std::vector<Fold>& folds_;
  FarPoints far_points_;
  std::vector<Family> families_;

  std::vector<Asked> families_of(const std::vector<Candidate>& candidates);
  std::size_t family_of(const Candidate& candidate);
  const FoldPath& path_of(const Candidate& candidate, std::size_t fold) const;
  void fit(const std::vector<Asked>& asked, const std::vector<std::size_t>& folds);
  std::optional<std::size_t> like(const Candidate& candidate) const;
  void extend(const Candidate& candidate, std::size_t f, const FoldPath* like,
              FoldPath& path) const;
  Candidate judged(const Candidate& candidate, const Family& family, std::size_t entry) const;
};

/// The search that folds are fitted with.
TermSearchOptions fold_search(const FitOptions& options, double ridge);

}  // namespace perfmodel
