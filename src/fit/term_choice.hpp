#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fit/sum_terms.hpp"
#include "fit/term_search.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// Rows of TermData to fit on and rows to judge on.
struct Fold {
  std::vector<Eigen::Index> training;
  std::vector<Eigen::Index> held_out;
  /// The numeric column whose upper end is held out; none: a random part is.
  std::optional<std::size_t> scale;

  bool far_end() const { return scale.has_value(); }
};

/// Folds for choosing a model that also extrapolates: a random partition, in which rows of one
/// configuration stay together, and for each scale the rows of its largest values.
///
/// A scale is an extrinsic column, or a numeric intrinsic one over two decades or more, with values
/// enough to leave some out; of more than a dozen, extrinsic ones and those that reach furthest. At
/// most `most_rows` rows take part. Empty where there are too few.
std::vector<Fold> make_folds(const TermCoordinates& coordinates, const ModelSpec& spec,
                             std::size_t most_rows, std::uint64_t seed);

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

// The sums that a selection tries, step by step; what a step starts from is `from`.

inline constexpr Eigen::Index kMostTerms = 5;
/// Of a sum whose other growths are tried for every column, and of one that is taken away from.
inline constexpr Eigen::Index kFewTerms = 2;

/// The regimes that are part of every form: of zeros.
std::vector<Eigen::Index> zeros_apart(const SelectionTask& task);

/// So many terms with all inputs, without logarithms and regimes but those of zeros.
SumShape plain_shape(const SelectionTask& task, Eigen::Index terms, bool intercept);

bool is_extrinsic(const SelectionTask& task, std::size_t numeric);

/// Regimes and C in all combinations, of one term: what matters most and acts together.
std::vector<Candidate> plain_candidates(const SelectionTask& task);

std::vector<Candidate> with_other_ridges(const Candidate& from);

/// A term for each numeric column, which leaves out the others.
std::optional<SumShape> additive_shape(const SelectionTask& task);

/// Rings of each scale, and of all of them that count from 1: GPUs and the nodes that hold them
/// grow together.
std::vector<Candidate> with_rings(const SelectionTask& task, const std::vector<Fold>& folds,
                                  const Candidate& from);

/// Other ways in which a numeric column may grow: log2(n)^r in the first term that has the column,
/// beside n^q or in its place, and the ring.
std::vector<Candidate> other_growths(const SelectionTask& task, const std::vector<Fold>& folds,
                                     const Candidate& from, std::size_t numeric);

/// A step at each inner value of a scale, beside the powers of the scale and in place of them.
std::vector<Candidate> with_steps(const SelectionTask& task, const Candidate& from,
                                  std::size_t scale);

/// The simple forms, where rows are few.
std::vector<SumShape> simple_shapes(const SelectionTask& task);

/// A term that is taken away.
std::vector<Candidate> negative_candidates(const SelectionTask& task);

/// A count whose far end is held out, so that the folds can judge its ring.
bool may_be_ring(const SelectionTask& task, const std::vector<Fold>& folds, std::size_t numeric);

/// The spec with a decision, for each numeric column that may be 0, how it counts in products:
/// ln(1 + x / unit), or ln x where x > 0 and a factor of its own where it is 0.
///
/// Rows that are held out decide, by one product of all columns: the factor of its own is taken
/// where it predicts them better by more than a standard error, column by column.
ModelSpec with_zeros_counted(const ModelSpec& spec, const Design& training, std::uint64_t seed);

/// From 16 workers to 64, say: about as far as users ask a model to go.
inline constexpr double kStretch = 4;

/// By how much ln of each numeric column grows with that of the scale, over all rows; `features`
/// are those of the numeric columns.
std::vector<double> slopes_along(const TermData& data, const std::vector<Eigen::Index>& features,
                                 std::size_t scale);

/// What a fit says of far points.
struct FarPredictions {
  Eigen::VectorXd log_time;    ///< at each point, in units of the typical time
  Eigen::VectorXd log_growth;  ///< from the row that the point was made of
};

/// Configurations far beyond the measured range, to see what a sum does there and whether it is
/// determined: for each scale whose far end is held out, some of those rows with a multiple of
/// their value. The other numeric columns move along as they do in the runs, by the line through
/// the logarithms: what always goes together, as workers and the global batch, also does here.
class FarPoints {
 public:
  FarPoints(const TermCoordinates& coordinates, const std::vector<Fold>& folds);

  FarPredictions predictions(const SumShape& shape, const Eigen::VectorXd& theta) const;

  /// How far fits to several parts of the rows disagree at the points of a scale: the mean
  /// distance from their median, in logarithms and at most kLargestError at a point. 0 for a single
  /// fit and for a scale without points.
  double disagreement(const std::vector<FarPredictions>& of_fits, std::size_t scale) const;

  /// How much longer fits to several parts of the rows say that it takes beyond the measured range,
  /// as a mean logarithm that gives every scale the same weight. A time that falls counts as 0.
  double growth(const std::vector<FarPredictions>& of_fits) const;

 private:
  const TermCoordinates& coordinates_;
  TermData measured_;
  TermData points_;                  ///< made of the measured rows, one of each
  std::vector<std::size_t> scales_;  ///< of each point
};

/// |ln(y / t)| beyond this counts as this. A prediction that is off by a factor of 20 counts for
/// many that are right: a form that explodes now and then is not one to choose.
inline constexpr double kLargestError = 3;

/// ln of the mean of |ln(predicted / measured)|. Its logarithm lets every fold speak alike: one
/// that nobody predicts well does not drown the others.
double log_of_mean_error(double mean);

/// What log_of_mean_error() was made of.
double mean_error(double log_error);

/// log_of_mean_error() of |ln(predicted / measured)|, each at most kLargestError.
double held_out_error(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted);

/// The error of a far end together with how far fits to the random parts disagree beyond it, where
/// none can be judged. A little of that says nothing: simple sums agree, be they right or wrong.
double with_disagreement(double log_error, double disagreement);

/// Weights of the folds in a score, summing to 1: half for the random parts, half for the far ends.
std::vector<double> fold_weights(const std::vector<Fold>& folds);

/// The weighted mean of the candidate's errors.
void set_score(const std::vector<Fold>& folds, Candidate& candidate);

/// The mean of the logarithms over the random parts, or over the far ends; nothing without any.
std::optional<double> mean_log_error(const std::vector<Fold>& folds, const Candidate& candidate,
                                     bool far_ends);

/// Standard error of the difference of two scores, from how it scatters over the folds.
double standard_error(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b);

/// Whether `a` is at most so many standard errors worse than `b` on the random parts and on the far
/// ends, each for itself: the far ends scatter so much that over all folds a model that is clearly
/// worse within the measured range would pass.
bool as_good_as(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b,
                double standard_errors = 1);

/// By how much errors may be larger, as logarithms.
struct Allowance {
  double in_any_case;
  double within_error;  ///< where that is within a standard error
};

/// Whether a is worse than b by no more than that on the random parts, and on the far ends.
bool nearly_as_good_as(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b,
                       const Allowance& allowance);

/// The same of the random parts alone.
bool as_good_where_measured(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b);

/// Whether `a` is better than `b` by more than a standard error on the random parts, and on the far
/// ends at most one worse.
bool better_where_measured(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b);

/// Whether the far ends say that `a` is better, by more than a standard error, and the score of all
/// folds does not contradict.
bool better_beyond(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b);

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
  /// Whether it was judged as it stands: one with fewer terms of a kind may not be.
  bool knows(const Candidate& candidate) const;
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

/// A sum of at least one term, not Eq. (4).
bool is_sum(const Candidate& candidate);

bool scores_better(const Candidate& a, const Candidate& b);

/// Which of the candidates that are as good as the best is taken.
///
/// The one with the fewest constants says how many terms it has. Of those with as many, the ones
/// that grow least beyond the measured range stay: where held-out rows cannot tell candidates
/// apart, one that grows too fast out there can be wrong by any factor, one that grows too slowly
/// by no more than the growth. Of these the fewest constants, then the best score. Logarithms are
/// taken only where no candidate of as many terms does without.
Candidate cautious_choice(const ModelSpec& spec, const Selection& selection);

/// "As at the largest measured value" is the forecast to beat: a scale whose far ends it predicts
/// better, each of them, counts no further than it was measured.
void cap_scales(const std::vector<Fold>& folds, Candidate& candidate);

/// The same, and its errors are those of what it then says.
void judge_as_capped(const std::vector<Fold>& folds, Candidate& candidate);

/// Whether a sum that `judge` has judged grows far faster beyond an extrinsic column than within.
bool is_steep_beyond(const SelectionTask& task, const std::vector<Fold>& folds,
                     const CandidateJudge& judge, const Candidate& sum, std::size_t scale);

/// Whether all far ends of a scale, and more than one, say that a sum grows on beyond the values
/// that it knows.
bool grows_on(const std::vector<Fold>& folds, const Candidate& sum, std::size_t scale);

/// The number of constants that are fitted, which stands for "the simplest". A logarithm counts as
/// one, also in place of a power: that it was tried is as good as a constant.
Eigen::Index size_of(const Candidate& candidate, const ModelSpec& spec);

/// Of so many rows the folds that a form is chosen by are made, at most.
inline constexpr std::size_t kRowsOfFolds = 1000;

/// Chooses terms, C, regimes, logarithms and ridge by cross-validation whose folds also hold out
/// the far end of each scale: terms, C and regimes in all combinations, then step by step from the
/// best so far, and at last a simple and cautious one that is as good as the best. Eq. (4) and the
/// constant are among the candidates. `judge` keeps their fits.
Selection select_shape(const SelectionTask& task, const std::vector<Fold>& folds,
                       CandidateJudge& judge);

}  // namespace perfmodel
