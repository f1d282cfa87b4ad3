#include "fit/sum/choose/held_out_errors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace perfmodel {
namespace {

constexpr bool kBothParts[] = {false, true};  // random parts, far ends
/// Errors well below this are as good as none.
constexpr double kSmallestError = 1e-3;
constexpr double kToleratedDisagreement = 0.3;

}  // namespace

double log_of_mean_error(double mean) {
  return std::log(kSmallestError + mean);
}

double mean_error(double log_error) {
  return std::exp(log_error) - kSmallestError;
}

double held_out_error(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted) {
  const Eigen::ArrayXd ratio = predicted.array() / measured.array();
  double sum = 0;
  for (const double r : ratio) {
    const double error = std::abs(std::log(r));
    sum += error < kLargestError ? error : kLargestError;  // also where it is no number
  }
  return log_of_mean_error(sum / static_cast<double>(ratio.size()));
}

double with_disagreement(double log_error, double disagreement) {
  return disagreement > kToleratedDisagreement
             ? log_of_mean_error(mean_error(log_error) + disagreement)
             : log_error;
}

std::vector<double> fold_weights(const std::vector<Fold>& folds) {
  const auto far_ends =
      std::count_if(folds.begin(), folds.end(), [](const Fold& fold) { return fold.far_end(); });
  const auto random = static_cast<std::ptrdiff_t>(folds.size()) - far_ends;
  std::vector<double> out;
  for (const Fold& fold : folds) {
    const double share = far_ends == 0 ? 1 : 0.5;
    out.push_back(share / static_cast<double>(fold.far_end() ? far_ends : random));
  }
  return out;
}

void set_score(const std::vector<Fold>& folds, Candidate& candidate) {
  const std::vector<double> weights = fold_weights(folds);
  candidate.score = 0;
  for (std::size_t f = 0; f < folds.size(); ++f)
    candidate.score += weights[f] * candidate.log_errors[f];
}

std::optional<double> mean_log_error(const std::vector<Fold>& folds, const Candidate& candidate,
                                     bool far_ends) {
  double sum = 0;
  double count = 0;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    if (folds[f].far_end() != far_ends)
      continue;
    sum += candidate.log_errors[f];
    count += 1;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

namespace {

/// Mean of a - b over the folds with these weights, and its standard error.
struct Difference {
  double mean = 0;
  double error = 0;
};

Difference paired_difference(const std::vector<double>& weights, const Candidate& a,
                             const Candidate& b) {
  Difference out;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double count = 0;
  for (std::size_t f = 0; f < weights.size(); ++f) {
    out.mean += weights[f] / all * (a.log_errors[f] - b.log_errors[f]);
    count += weights[f] > 0 ? 1 : 0;
  }
  double sum = 0;
  for (std::size_t f = 0; f < weights.size(); ++f) {
    const double deviation = weights[f] / all * (a.log_errors[f] - b.log_errors[f] - out.mean);
    sum += deviation * deviation;
  }
  out.error = count > 1 ? std::sqrt(sum * count / (count - 1)) : 0;
  return out;
}

/// The difference over the random parts, or over the far ends, alone.
Difference difference_of_part(const std::vector<Fold>& folds, bool far_end, const Candidate& a,
                              const Candidate& b) {
  std::vector<double> weights;
  for (const Fold& fold : folds)
    weights.push_back(fold.far_end() == far_end ? 1 : 0);
  const bool any = std::find(weights.begin(), weights.end(), 1.0) != weights.end();
  return any ? paired_difference(weights, a, b) : Difference{};
}

}  // namespace

double standard_error(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b) {
  return paired_difference(fold_weights(folds), a, b).error;
}

bool as_good_as(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b,
                double standard_errors) {
  return std::all_of(
      std::begin(kBothParts), std::end(kBothParts),
      [&](bool far_end) {
        const Difference gap = difference_of_part(folds, far_end, a, b);
        return gap.mean <= standard_errors * gap.error;
      });
}

bool nearly_as_good_as(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b,
                       const Allowance& allowance) {
  return std::all_of(
      std::begin(kBothParts), std::end(kBothParts),
      [&](bool far_end) {
        const Difference gap = difference_of_part(folds, far_end, a, b);
        return gap.mean <=
               std::max(allowance.in_any_case, std::min(gap.error, allowance.within_error));
      });
}

bool as_good_where_measured(const std::vector<Fold>& folds, const Candidate& a,
                            const Candidate& b) {
  const Difference gap = difference_of_part(folds, false, a, b);
  return gap.mean <= gap.error;
}

bool better_where_measured(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b) {
  const Difference inside = difference_of_part(folds, false, a, b);
  const Difference outside = difference_of_part(folds, true, a, b);
  return inside.mean < -inside.error && outside.mean <= outside.error;
}

bool better_beyond(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b) {
  const Difference outside = difference_of_part(folds, true, a, b);
  return outside.mean < -outside.error && a.score < b.score;
}

}  // namespace perfmodel
