#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "choice/ablation.hpp"
#include "columns/replicates.hpp"
#include "forms/form.hpp"
#include "perfmodel/design.hpp"
#include "perfmodel/fit_options.hpp"
#include "sums/sum_terms.hpp"
#include "sums/term_search.hpp"

namespace perfmodel {

/// Rows of TermData to fit on and rows to judge on.
struct Fold {
  std::vector<Eigen::Index> training;
  std::vector<Eigen::Index> held_out;
  /// The numeric column whose largest values an extrapolation fold holds out; nullopt: random fold.
  std::optional<std::size_t> scale;

  bool is_extrapolation() const { return scale.has_value(); }
};

/// Folds for choosing a model that also extrapolates: a random partition that keeps rows of one
/// configuration together, and for each scale one or two extrapolation folds, which hold out its
/// largest values.
///
/// A scale is an extrinsic column, or a numeric intrinsic one that spans two decades or more, with
/// enough values to hold some out; of more than six, extrinsic ones and those of the widest
/// range. At most 1000 rows are used; of more, repeats are left out before configurations are.
/// Empty if there are too few.
std::vector<Fold> make_folds(const TermCoordinates& coordinates, const ModelSpec& spec,
                             std::uint64_t seed);

/// One way to fit the runs, and its errors on held-out rows.
struct Candidate {
  bool eq4 = false;  ///< Eq. (4); shape and ridge are then ignored
  SumShape shape;
  double ridge = 1e-4;
  std::vector<double> log_errors = {};  ///< per fold: ln of the mean error of its held-out rows
  /// log_errors with the scale of each extrapolation fold clamped to its largest training value.
  std::vector<double> clamped_log_errors = {};
  double score = 0;  ///< weighted mean of the log errors
};

/// Inputs that all candidates share.
struct SelectionTask {
  const TermCoordinates& coordinates;
  const ModelSpec& spec;
  const Design& training;
  const FitOptions& options;
  const std::vector<Fold>& folds;  ///< empty if there are too few rows to choose
};

/// Returns the given rows of the coordinates' data as rows of the design.
Design design_of(const SelectionTask& task, const std::vector<Eigen::Index>& rows);

struct Selection {
  Candidate chosen;
  std::vector<Candidate> tried;
};

// The sums that a selection tries, step by step; each step starts from `from`.

inline constexpr Eigen::Index kMostTerms = 5;
/// Most terms of a sum whose other growths are tried for all columns, or with a negative term.
inline constexpr Eigen::Index kFewTerms = 2;

/// Indices of the step features that separate zeros; they are part of every form.
std::vector<Eigen::Index> zeros_apart(const SelectionTask& task);

/// A sum of `terms` terms with all inputs, without logarithms and without steps except at zeros.
SumShape plain_shape(const SelectionTask& task, Eigen::Index terms, bool intercept);

bool is_extrinsic(const SelectionTask& task, std::size_t numeric);

/// All combinations of steps and C with one term: they matter most and interact.
std::vector<Candidate> plain_candidates(const SelectionTask& task);

std::vector<Candidate> with_ridges(const Candidate& from, const std::vector<double>& ridges);

/// One term per numeric column, each without the other numeric columns.
std::optional<SumShape> additive_shape(const SelectionTask& task);

/// Other growths of a numeric column: log2(n)^r in the first term that has the column, with n^q or
/// instead of it, and 1 - 1/n.
std::vector<Candidate> other_growths(const SelectionTask& task, const Candidate& from,
                                     std::size_t numeric);

/// Candidates with a step at each inner value of a scale, with its powers and instead of them.
std::vector<Candidate> with_steps(const SelectionTask& task, const Candidate& from,
                                  std::size_t scale);

/// The simple forms that are tried if there are few rows.
std::vector<SumShape> simple_shapes(const SelectionTask& task);

/// Candidates with a negative term.
std::vector<Candidate> negative_candidates(const SelectionTask& task);

/// Returns the spec with a decision, for each numeric column that may be 0, how it enters products:
/// as ln(1 + x / unit), or as ln x if x > 0 and a factor of its own if x = 0.
///
/// Held-out rows decide, by one product of all columns: column by column, the factor of its own is
/// taken if it predicts them better by more than a standard error.
ModelSpec with_zeros_counted(const ModelSpec& spec, const Design& training, std::uint64_t seed);

/// Factor beyond the largest value, as from 16 workers to 64: about as far as users extrapolate.
inline constexpr double kStretch = 4;

/// Groups ascending rows of sorted data by configuration.
RowGroups configuration_groups(const TermData& data, const std::vector<Eigen::Index>& rows);

/// Largest |ln(y / t)| that is counted. A prediction that is off by a factor of 20 outweighs many
/// that are right: a form that sometimes explodes must not be chosen.
inline constexpr double kLargestError = 3;

/// ln of the mean of |ln(predicted / measured)|. Averaging logarithms over the folds keeps a fold
/// that no form predicts well from dominating.
double log_of_mean_error(double mean);

/// Inverse of log_of_mean_error().
double mean_error(double log_error);

/// log_of_mean_error() of |ln(predicted / measured)|, each clamped to kLargestError.
double held_out_error(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted);

/// Sets the score to the weighted mean of the candidate's log errors: the random folds weigh as
/// much as the extrapolation folds.
void set_score(const std::vector<Fold>& folds, Candidate& candidate);

/// Mean log error over the random or the extrapolation folds; nullopt if there are none.
std::optional<double> mean_log_error(const std::vector<Fold>& folds, const Candidate& candidate,
                                     bool extrapolation_folds);

/// Standard error of the difference of two scores, from its scatter over the folds.
double standard_error(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b);

/// Accepted increase of errors, as logarithms; by default up to a standard error.
struct Allowance {
  double in_any_case = -std::numeric_limits<double>::infinity();
  /// If the increase is within a standard error.
  double within_error = std::numeric_limits<double>::infinity();
};

/// True if `a` is worse than `b` by at most the allowance on the random folds and, separately, on
/// the extrapolation folds: those scatter so much that over all folds together a model that is
/// clearly worse within the measured range would pass.
bool as_good_as(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b,
                const Allowance& allowance = {});

/// as_good_as() within a standard error, on the random folds alone.
bool as_good_where_measured(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b);

/// The options of a fit of Eq. (4) in place of a sum: the MAE replaces soft_l1, which it does not
/// support.
FitOptions eq4_options(FitOptions options);

/// True if both share one path of fits with 1, 2, ... terms.
bool same_family(const Candidate& a, const Candidate& b);

/// Scores candidates on held-out rows. Fits of a family are kept for later requests.
class CandidateJudge {
 public:
  explicit CandidateJudge(const SelectionTask& task);
  CandidateJudge(const CandidateJudge&) = delete;  // refits refer to its options
  CandidateJudge& operator=(const CandidateJudge&) = delete;

  /// Fits every candidate to every fold, in parallel, and scores it on the held-out rows. A sum
  /// yields several candidates: with 1, 2, ..., shape.terms terms, which are fitted on the way.
  /// Excluded are numbers of terms with more constants than training rows (within a fold the ridge
  /// makes up for missing rows), and candidates that predict no valid time for some row.
  std::vector<Candidate> operator()(const std::vector<Candidate>& candidates);

  /// Returns the candidates that have, with all their terms, smaller log errors than `than`, summed
  /// over the given folds. `than` was judged on all folds.
  std::vector<Candidate> better_on(const std::vector<std::size_t>& folds,
                                   const std::vector<Candidate>& candidates, const Candidate& than);

  /// Constants of a judged candidate, fitted to the training rows of a fold: in the order of
  /// Eq4Layout for Eq. (4), of SumLayout for a sum.
  Eigen::VectorXd constants_in(const Candidate& candidate, std::size_t fold) const;
  /// True if exactly this candidate was judged; one with fewer terms of a kind may not have been.
  bool knows(const Candidate& candidate) const;
  /// The fit of a judged sum to the training rows of a fold.
  const SumFit& fit_in(const Candidate& sum, std::size_t fold) const;

 private:
  /// A family in one fold, for each number of terms.
  struct FoldPath {
    std::vector<SumFit> fits;
    std::vector<double> log_errors;
    /// For extrapolation folds: with the scale clamped to the largest training value.
    std::vector<double> clamped_log_errors;
    Eigen::VectorXd eq4_constants;  ///< for Eq. (4)
  };

  struct Family {
    Candidate widest;  ///< with the largest number of terms requested
    /// For each number of terms, the fit to the rows of all folds, from which those to the training
    /// rows of a fold start: a fold judges the optimum that the final fit would end in.
    std::vector<SumFit> fits;
    std::shared_ptr<const Refit> eq4;  ///< the same for Eq. (4)
    std::vector<FoldPath> of_fold;
    /// A similar family that was searched for earlier, from whose fits those of this one start.
    std::optional<std::size_t> like;
  };

  struct Asked {
    Candidate candidate;
    std::size_t family;
  };

  SelectionTask task_;
  std::size_t configurations_;      ///< of the training rows
  std::vector<Eigen::Index> rows_;  ///< of all folds
  FitOptions eq4_search_;
  std::vector<Family> families_;

  std::vector<Asked> families_of(const std::vector<Candidate>& candidates);
  std::size_t family_of(const Candidate& candidate);
  const FoldPath& path_of(const Candidate& candidate, std::size_t fold) const;
  void fit(const std::vector<Asked>& asked, const std::vector<std::size_t>& folds);
  std::optional<std::size_t> like(const Candidate& candidate) const;
  void search(const std::vector<std::size_t>& families);
  std::vector<SumFit> starts_of(const Family& family, std::size_t fold,
                                const TermData& training) const;
  void extend(const Family& family, std::size_t f, FoldPath& path) const;
  Candidate judged(const Candidate& candidate, const Family& family, std::size_t entry) const;
};

/// True for a sum of at least one term, not Eq. (4).
bool is_sum(const Candidate& candidate);

bool scores_better(const Candidate& a, const Candidate& b);

/// Chooses among the tried candidates that are as good as the best: the fewest constants win, then
/// the fewest logarithms and saturations, then the best score.
Candidate cautious_choice(const ModelSpec& spec, const std::vector<Fold>& folds,
                          const std::vector<Candidate>& tried, const Candidate& best);

/// Clamps the steep scales, and replaces the errors by those of the clamped candidate.
void judge_as_clamped(const std::vector<Fold>& folds, Candidate& candidate);

/// True if a judged sum grows clearly faster beyond the range of an extrinsic column than within.
bool is_steep_beyond(const SelectionTask& task, const CandidateJudge& judge, const Candidate& sum,
                     std::size_t scale);

/// True if a scale has more than one extrapolation fold and all of them show that a sum keeps
/// growing beyond the training values.
bool grows_on(const std::vector<Fold>& folds, const Candidate& sum, std::size_t scale);

/// Number of fitted constants, the measure of simplicity. A logarithm counts as one, also instead
/// of a power: trying it used up a degree of freedom.
Eigen::Index size_of(const Candidate& candidate, const ModelSpec& spec);

/// Chooses terms, C, steps, logarithms and ridge by cross-validation with random and extrapolation
/// folds: first terms, C and steps in all combinations, then step by step from the best so far, and
/// at last a simple and cautious candidate that is as good as the best. Eq. (4) and the constant
/// are among the candidates. `judge` keeps their fits.
Selection select_shape(const SelectionTask& task, CandidateJudge& judge);

}  // namespace perfmodel
