#include "optimise/lad/sequential_lad.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kFirstRadius = 0.5;
constexpr double kSmallestRadius = 1e-8;
constexpr std::size_t kMostSteps = 100;
/// Predicted gain, as a share of the cost, from which on idle terms are looked at before the finish
/// has ended, and the gain since the last look that makes another worth while.
constexpr double kGainToWake = 1e-4;
constexpr double kGainBetweenWakes = 1e-3;
/// Share of the predicted gain from which on a step needs no correction and the radius may grow.
constexpr double kGoodRatio = 0.75;
constexpr int kCorrections = 3;
/// Predicted gain, as a share of the cost, below which a step is also tried at a multiple.
constexpr double kGainToExtrapolate = 1e-5;
constexpr int kMostStrides = 10;
/// Gap beyond which an optimum is not taken as proven.
constexpr double kUnproven = 1e-9;

/// From no change.
optimise::LadResult solve(const optimise::LadProblem& problem,
                          const optimise::LadOptions& options) {
  return optimise::solve_lad(problem, VectorXd::Zero(problem.bounds.lower.size()), options);
}

}  // namespace

SequentialLadResult minimise_by_sequential_lad(LinearisedRows& fit, const VectorXd& start,
                                               double gap_to_stop, const std::stop_token& stop) {
  SequentialLadResult out;
  out.at = start;
  out.cost = fit.cost(start);
  fit.linearise_at(start);
  double radius = kFirstRadius;
  std::optional<VectorXd> anchor;  // where the last step began
  double cost_when_woken = std::numeric_limits<double>::infinity();
  std::vector<Index> active_rows;
  while (out.steps < kMostSteps && radius > kSmallestRadius && !stop.stop_requested()) {
    ++out.steps;
    double constant = 0;
    const optimise::LadResult step =
        solve(fit.problem(radius, constant), {.active_rows = active_rows, .stop = stop});
    const double gain = out.cost - (step.cost - constant);
    const double possible = std::max(0.0, out.cost - (step.dual_bound - constant));
    out.relative_gap = out.cost > 0 ? possible / out.cost : 0;
    const bool at_end = gain <= gap_to_stop * out.cost;
    // More kinks than constants may meet at the optimum. The ones that an earlier step has left
    // active can then be a set that proves nothing; another way to the same point finds one that
    // does.
    if (at_end && out.relative_gap > std::max(kUnproven, 10 * gap_to_stop) &&
        !active_rows.empty()) {
      active_rows.clear();
      continue;
    }
    active_rows = step.active_rows;
    const double since_woken = at_end ? gap_to_stop : kGainBetweenWakes;
    if ((at_end || gain <= kGainToWake * out.cost) &&
        out.cost < (1 - since_woken) * cost_when_woken) {
      cost_when_woken = out.cost;
      if (const auto woken = fit.wake(step)) {
        anchor.reset();
        out.at = *woken;
        fit.linearise_at(*woken);
        radius = kFirstRadius;
        continue;
      }
    }
    if (at_end)
      break;
    VectorXd trial = fit.inside(out.at + step.x, out.cost);
    double trial_cost = fit.cost(trial);
    ++out.evaluations;
    for (int k = 0; k < kCorrections && trial_cost > out.cost - kGoodRatio * gain; ++k) {
      const VectorXd corrected = fit.inside(trial + fit.correction(step, trial), out.cost);
      const double corrected_cost = fit.cost(corrected);
      ++out.evaluations;
      if (!(corrected_cost < trial_cost))
        break;
      trial = corrected;
      trial_cost = corrected_cost;
    }
    const double ratio = (out.cost - trial_cost) / gain;
    const double used = fit.length(step.x);
    if (ratio < 0.25)
      radius = 0.25 * (fit.length_bounds_radius() ? std::min(radius, used) : radius);
    else if (ratio > kGoodRatio)
      radius = std::max(radius, 2 * used);
    if (trial_cost < out.cost) {
      // Steps that creep along a curved valley, from one of its sides to the other: what two of
      // them have in common leads on.
      if (ratio < kGoodRatio && gain <= kGainToExtrapolate * out.cost && anchor) {
        VectorXd stride = trial - *anchor;
        for (int k = 0; k < kMostStrides; ++k) {
          VectorXd ahead = fit.inside(trial + stride, out.cost);
          ahead = fit.inside(ahead + fit.correction(step, ahead), out.cost);
          const double cost_ahead = fit.cost(ahead);
          ++out.evaluations;
          if (!(cost_ahead < trial_cost))
            break;
          stride = 2 * (ahead - trial);
          trial = ahead;
          trial_cost = cost_ahead;
        }
      }
      anchor = out.at;
      out.at = trial;
      out.cost = trial_cost;
      fit.linearise_at(trial);
    }
  }
  return out;
}

}  // namespace perfmodel
