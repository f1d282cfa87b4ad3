#include "optimise/newton/damped_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t kMostDampedSteps = 2000;
constexpr double kStartDamping = 1e-3;
constexpr double kLargestDamping = 1e12;
constexpr double kCostRounding = 1e-14;
constexpr double kLeastTangentPoint = 1e-12;  // the parabola at 0 would have no end of curvature
constexpr double kShareOfGap = 0.1;  // steps of damped least squares soon gain little by little

/// The step to the minimum of a damped parabola in the box: constants that the step would carry
/// past a bound go to the bound, and the others are solved for again. Nothing where the parabola
/// opens downwards.
std::optional<VectorXd> damped_step(const CostParabola& model, const ArrowMatrix& curvature,
                                    double damping, const VectorXd& at, const optimise::Bounds& box,
                                    const std::stop_token& stop) {
  const Index size = at.size();
  VectorXd step = VectorXd::Zero(size);
  std::vector<bool> held(static_cast<std::size_t>(size), false);
  const VectorXd diagonal = model.gauss_newton.whole_diagonal();
  for (Index i = 0; i < size; ++i) {
    held[static_cast<std::size_t>(i)] = diagonal[i] == 0 ||
                                        (at[i] <= box.lower[i] && model.gradient[i] > 0) ||
                                        (at[i] >= box.upper[i] && model.gradient[i] < 0);
  }
  ArrowMatrix damped = curvature;
  damped.add_to_diagonal(damping * diagonal);
  for (Index round = 0; round < size; ++round) {
    const auto solved = solve_free(damped, held, -(model.gradient + curvature * step), stop);
    if (!solved)
      return std::nullopt;
    const VectorXd& free_step = *solved;
    bool inside = true;
    for (Index i = 0; i < size; ++i) {
      if (held[static_cast<std::size_t>(i)])
        continue;
      const double low = box.lower[i] - at[i];
      const double high = box.upper[i] - at[i];
      if (free_step[i] >= low && free_step[i] <= high)
        continue;
      held[static_cast<std::size_t>(i)] = true;
      step[i] = free_step[i] < low ? low : high;
      inside = false;
    }
    if (inside)
      return step + free_step;
  }
  return step;
}

}  // namespace

VectorXd tangent_curvature(const VectorXd& values, double l1, double l2) {
  return (l1 / values.array().abs().max(kLeastTangentPoint) + 2 * l2).matrix();
}

DampedNewtonResult minimise_by_damped_newton(const CurvedProblem& fit, const optimise::Bounds& box,
                                             const VectorXd& start, double gap_to_stop,
                                             const std::stop_token& stop) {
  DampedNewtonResult out;
  out.at = start;
  out.cost = fit.cost(start);
  if (stop.stop_requested())
    return out;
  CostParabola model = fit.quadratic(start);
  double damping = kStartDamping;
  double cost_when_woken = std::numeric_limits<double>::infinity();
  bool refused = false;  // the last step
  while (out.steps < kMostDampedSteps && damping < kLargestDamping && !stop.stop_requested()) {
    ++out.steps;
    // Newton's step where there is one.
    const ArrowMatrix* curvature = &model.hessian;
    auto step = damped_step(model, *curvature, damping, out.at, box, stop);
    if (!step) {
      curvature = &model.gauss_newton;
      step = damped_step(model, *curvature, damping, out.at, box, stop);
    }
    if (!step) {
      damping *= 10;
      continue;
    }
    const VectorXd trial = (out.at + *step).cwiseMax(box.lower).cwiseMin(box.upper);
    const VectorXd moved = trial - out.at;
    const double gain = -(model.gradient.dot(moved) + 0.5 * moved.dot(*curvature * moved));
    out.relative_gap = out.cost > 0 ? std::abs(gain) / out.cost : 0;
    if (out.relative_gap <= kShareOfGap * gap_to_stop) {
      const auto woken =
          out.cost < (1 - gap_to_stop) * cost_when_woken ? fit.wake(out.at) : std::nullopt;
      if (!woken) {
        // What the cost cannot resolve any more still sharpens the constants.
        if (fit.cost(trial) <= (1 + kCostRounding) * out.cost)
          out.at = trial;
        break;
      }
      cost_when_woken = out.cost;
      out.at = *woken;
      model = fit.quadratic(out.at);
      damping = kStartDamping;
      continue;
    }
    const double trial_cost = fit.cost(trial);
    ++out.evaluations;
    if (gain > 0 && trial_cost < out.cost) {
      // Along a curved valley the damping hovers where steps are taken, instead of having every
      // second one refused.
      damping = std::max(1e-15, (refused ? 0.7 : 0.1) * damping);
      refused = false;
      out.at = trial;
      out.cost = trial_cost;
      model = fit.quadratic(trial);
    } else {
      damping *= refused ? 10 : 4;
      refused = true;
    }
  }
  return out;
}

}  // namespace perfmodel
