#include "fit/choose/beside_sum.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "fit/sum/choose/choice.hpp"
#include "fit/sum/choose/held_out_errors.hpp"
#include "fit/sum/finish/sum_finish.hpp"
#include "fit/sum/form/sum_form.hpp"
#include "fit/task/absolute_errors.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

/// Folds tell candidates apart by far larger differences.
constexpr double kGapInFold = 1e-4;

/// The constants of least absolute errors next to those that the fold had for the sum.
VectorXd absolute_constants(const SelectionTask& task, const SumFit& start, const SumShape& shape,
                            const std::vector<Eigen::Index>& training) {
  const FitOptions options = with_absolute_errors(task.options);
  const TermData rows = take_rows(task.coordinates.data(shape), training);
  const SumFit fit =
      finish(rows, shape, SumGoal(task.coordinates, shape, options, 0), start,
             {.held = {}, .instructions = options.instructions, .stop = options.stop}, kGapInFold);
  return task.coordinates.constants(shape, fit.theta);
}

/// `constants_in`: of the sum in a fold.
std::vector<FormCandidate> judged_beside(
    const SelectionTask& task, ProcessJudge& with_process, const Candidate& trend, TrendPrior prior,
    const std::function<VectorXd(std::size_t fold)>& constants_in) {
  const auto form = std::make_shared<const SumForm>(
      task.coordinates.structure(trend.shape),
      SumEstimates{.parted = {}, .sums = {{.ridge = 0, .intercept = trend.shape.intercept}}});
  return with_process.beside_fitted(trend, prior, [&](std::size_t fold, const Design& training) {
    return runs_beside(form, task.spec, constants_in(fold), training, {.rings = trend.shape.rings});
  });
}

}  // namespace

std::vector<FormCandidate> beside_sum(const SelectionTask& task, const CandidateJudge& plain,
                                      ProcessJudge& with_process, const Candidate& trend) {
  return judged_beside(
      task, with_process, trend, TrendPrior::likely,
      [&](std::size_t fold) { return plain.constants_in(trend, fold); });
}

std::optional<FormCandidate> beside_held_sum(const SelectionTask& task, const CandidateJudge& plain,
                                             ProcessJudge& with_process,
                                             const std::vector<Fold>& folds,
                                             const FormCandidate& chosen) {
  Candidate trend = chosen.trend;
  trend.shape.caps.clear();
  std::vector<FormCandidate> held = judged_beside(
      task, with_process, trend, TrendPrior::held,
      [&](std::size_t fold) {
        return absolute_constants(task, plain.fit_in(trend, fold), trend.shape,
                                  folds[fold].training);
      });
  const auto best = std::min_element(held.begin(), held.end(),
                                     [](const FormCandidate& a, const FormCandidate& b) {
                                       return scores_better(a.trend, b.trend);
                                     });
  if (best == held.end() || !better_beyond(folds, best->trend, chosen.trend))
    return std::nullopt;
  return std::move(*best);
}

}  // namespace perfmodel
