#include "fit/multi/held_out_errors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fit/multi/far_points.hpp"
#include "perfmodel/base/parallel.hpp"
#include "perfmodel/fit/fit.hpp"
#include "perfmodel/model/generic_expression.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr bool kBothParts[] = {false, true};  // random parts, far ends
/// Errors well below this are as good as none.
constexpr double kSmallestError = 1e-3;
constexpr double kToleratedDisagreement = 0.3;

double log_error(const VectorXd& measured, const VectorXd& predicted) {
  const Eigen::ArrayXd ratio = predicted.array() / measured.array();
  double sum = 0;
  for (const double r : ratio) {
    const double error = std::abs(std::log(r));
    sum += error < kLargestError ? error : kLargestError;  // also where it is no number
  }
  return log_of_mean_error(sum / static_cast<double>(ratio.size()));
}

std::vector<std::size_t> design_rows(const TermCoordinates& coordinates,
                                     const std::vector<Index>& rows) {
  std::vector<std::size_t> out;
  for (const Index row : rows)
    out.push_back(coordinates.order()[static_cast<std::size_t>(row)]);
  return out;
}

double generic_error(const SelectionTask& task, const Fold& fold) {
  FitOptions options = task.options;
  options.expression = Expression::generic;
  options.penalty = {};
  options.starts = 1;
  options.threads = 1;
  options.observer = nullptr;
  const Design training = take_rows(task.training, design_rows(task.coordinates, fold.training));
  const Design held_out = take_rows(task.training, design_rows(task.coordinates, fold.held_out));
  return log_error(held_out.time, predict(fit(task.spec, training, options), held_out));
}

/// A candidate in one fold, for each number of terms.
struct FoldResult {
  std::vector<double> log_errors;
  std::vector<FarPredictions> far_predictions;  ///< of random parts alone
};

FoldResult fold_result(const SelectionTask& task, const FarPoints& far_points, const Fold& fold,
                       const Candidate& candidate) {
  if (candidate.generic)
    return {{generic_error(task, fold)}, {}};
  const TermData data = task.coordinates.data(candidate.shape);
  const TermData training = take_rows(data, fold.training);
  const TermData held_out = take_rows(data, fold.held_out);
  const std::vector<SumFit> path =
      search_terms(training, candidate.shape, fold_search(task.options, candidate.ridge));
  FoldResult out;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const SumShape shape =
        with_terms(candidate.shape, std::min(candidate.shape.terms, static_cast<Index>(k) + 1));
    out.log_errors.push_back(
        log_error(held_out.time, evaluate_sum(held_out, shape, path[k].theta).total));
    if (!fold.far_end())
      out.far_predictions.push_back(far_points.predictions(shape, path[k].theta));
  }
  return out;
}

/// What the fits to random parts say of the far points.
void judge_far_points(const std::vector<Fold>& folds, const FarPoints& far_points,
                      const std::vector<FarPredictions>& predictions, Candidate& candidate) {
  candidate.growth = far_points.growth(predictions);
  for (std::size_t f = 0; f < folds.size(); ++f) {
    if (!folds[f].far_end())
      continue;
    candidate.log_errors[f] = with_disagreement(
        candidate.log_errors[f], far_points.disagreement(predictions, *folds[f].scale));
  }
}

}  // namespace

double log_of_mean_error(double mean) {
  return std::log(kSmallestError + mean);
}

double mean_error(double log_error) {
  return std::exp(log_error) - kSmallestError;
}

double with_disagreement(double log_error, double disagreement) {
  return disagreement > kToleratedDisagreement
             ? log_of_mean_error(mean_error(log_error) + disagreement)
             : log_error;
}

TermSearchOptions fold_search(const FitOptions& options, double ridge) {
  TermSearchOptions out;
  out.seed = options.seed;
  out.starts = 4;
  out.kept = 1;
  out.iterations = 40;
  out.ridge = ridge;
  out.threads = 1;
  out.instructions = options.instructions;
  out.stop = options.stop;
  return out;
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

namespace {

/// Mean of a - b over the folds with these weights, and its standard error.
struct Difference {
  double mean = 0;
  double error = 0;
};

Difference difference(const std::vector<double>& weights, const Candidate& a, const Candidate& b) {
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
  return any ? difference(weights, a, b) : Difference{};
}

}  // namespace

double standard_error(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b) {
  return difference(fold_weights(folds), a, b).error;
}

bool as_good_as(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b) {
  return std::all_of(std::begin(kBothParts), std::end(kBothParts), [&](bool far_end) {
    const Difference gap = difference_of_part(folds, far_end, a, b);
    return gap.mean <= gap.error;
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

std::vector<Candidate> judge_candidates(const SelectionTask& task, const std::vector<Fold>& folds,
                                        const std::vector<Candidate>& candidates) {
  std::vector<Candidate> asked = candidates;
  for (Candidate& candidate : asked) {
    while (!candidate.generic && candidate.shape.terms > 1 &&
           candidate.shape.size() > static_cast<Index>(task.training.rows))
      candidate.shape = with_terms(candidate.shape, candidate.shape.terms - 1);
  }
  const std::size_t jobs = asked.size() * folds.size();
  const FarPoints far_points(task.coordinates, folds);
  std::vector<FoldResult> results(jobs);
  parallel_for(jobs, task.options.threads, [&](std::size_t job) {
    results[job] =
        fold_result(task, far_points, folds[job % folds.size()], asked[job / folds.size()]);
  });

  std::vector<Candidate> out;
  for (std::size_t c = 0; c < asked.size(); ++c) {
    const auto* of_fold = &results[c * folds.size()];
    for (std::size_t k = 0; k < of_fold[0].log_errors.size(); ++k) {
      Candidate candidate = asked[c];
      if (!candidate.generic && candidate.shape.terms > 0)
        candidate.shape = with_terms(candidate.shape, static_cast<Index>(k) + 1);
      candidate.log_errors.clear();
      std::vector<FarPredictions> far_predictions;
      for (std::size_t f = 0; f < folds.size(); ++f) {
        candidate.log_errors.push_back(of_fold[f].log_errors[k]);
        if (!of_fold[f].far_predictions.empty())
          far_predictions.push_back(of_fold[f].far_predictions[k]);
      }
      judge_far_points(folds, far_points, far_predictions, candidate);
      set_score(folds, candidate);
      out.push_back(candidate);
    }
  }
  return out;
}

}  // namespace perfmodel
