#pragma once

#include <optional>
#include <vector>

#include "fit/sum/choose/selection.hpp"

namespace perfmodel {

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

}  // namespace perfmodel
