#include "optimise/newton.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

namespace perfmodel {
namespace {

constexpr std::size_t kMostDampedSteps = 2000;
constexpr double kStartDamping = 1e-3;
constexpr double kLargestDamping = 1e12;
constexpr double kCostRounding = 1e-14;
constexpr double kRoundingOfRows = 1e-9;  // of the cost, from that of the predictions
constexpr double kNoDamping = 1e-15;
constexpr double kLeastTangentPoint = 1e-12;  // the parabola at 0 would have infinite curvature
constexpr double kShareOfGap = 0.1;  // steps of damped least squares soon gain little by little

/// How much of the cost a step is expected to gain.
double expected_gain(const CostParabola& model, const SymmetricMatrix& curvature,
                     const VectorXd& step) {
  return -(model.gradient.dot(step) + 0.5 * step.dot(curvature * step));
}

VectorXd moved_in(const optimise::Bounds& box, const VectorXd& at, const VectorXd& step) {
  return (at + step).cwiseMax(box.lower).cwiseMin(box.upper);
}

bool is_as_low(double cost, double reached) {
  return cost <= (1 + kRoundingOfRows) * reached;
}

/// Newton's steps without damping from a point whose cost no step can lower by more than rounding,
/// as long as the gradient says that each gains less than the last.
void sharpen(const CurvedProblem& fit, const optimise::Bounds& box, const std::stop_token& stop,
             Optimum& out) {
  double last_gain = std::numeric_limits<double>::infinity();
  while (!stop.stop_requested()) {
    const CostParabola model = fit.quadratic(out.at);
    const auto step = damped_step(model, model.hessian, 0, out.at, box, stop);
    if (!step)
      return;
    const VectorXd trial = moved_in(box, out.at, *step);
    const double gain = std::abs(expected_gain(model, model.hessian, trial - out.at));
    if (!(gain < last_gain) || !is_as_low(fit.cost(trial), out.cost))
      return;
    last_gain = gain;
    out.at = trial;
    ++out.evaluations;
  }
}

}  // namespace

std::optional<VectorXd> damped_step(const CostParabola& model, const SymmetricMatrix& curvature,
                                    double damping, const VectorXd& at, const optimise::Bounds& box,
                                    const std::stop_token& stop) {
  const Index size = at.size();
  VectorXd step = VectorXd::Zero(size);
  std::vector<bool> held(static_cast<std::size_t>(size), false);
  const VectorXd diagonal = model.gauss_newton.diagonal();
  for (Index i = 0; i < size; ++i) {
    held[static_cast<std::size_t>(i)] = diagonal[i] == 0 ||
                                        (at[i] <= box.lower[i] && model.gradient[i] > 0) ||
                                        (at[i] >= box.upper[i] && model.gradient[i] < 0);
  }
  SymmetricMatrix damped = curvature;
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

VectorXd tangent_curvature(const VectorXd& values, double l1, double l2) {
  return (l1 / values.array().abs().max(kLeastTangentPoint) + 2 * l2).matrix();
}

Optimum minimise_by_damped_newton(const CurvedProblem& fit, const optimise::Bounds& box,
                                  const VectorXd& start, double gap_to_stop,
                                  const std::stop_token& stop) {
  Optimum out;
  out.at = start;
  out.cost = fit.cost(start);
  if (stop.stop_requested())
    return out;
  CostParabola model = fit.quadratic(start);
  double damping = kStartDamping;
  double cost_when_woken = std::numeric_limits<double>::infinity();
  bool refused = false;  // whether the last step was
  const bool exact = gap_to_stop < kCostRounding;
  while (out.steps < kMostDampedSteps && damping < kLargestDamping && !stop.stop_requested()) {
    ++out.steps;
    // Newton's step, if there is one.
    const SymmetricMatrix* curvature = &model.hessian;
    auto step = damped_step(model, *curvature, damping, out.at, box, stop);
    if (!step) {
      curvature = &model.gauss_newton;
      step = damped_step(model, *curvature, damping, out.at, box, stop);
    }
    if (!step) {
      damping *= 10;
      continue;
    }
    const VectorXd trial = moved_in(box, out.at, *step);
    const double gain = expected_gain(model, *curvature, trial - out.at);
    out.relative_gap = out.cost > 0 ? std::abs(gain) / out.cost : 0;
    const double trial_cost = fit.cost(trial);
    const bool is_rounding = exact && out.relative_gap <= kRoundingOfRows;
    const bool is_lower =
        gain > 0 && (is_rounding ? is_as_low(trial_cost, out.cost) : trial_cost < out.cost);
    // A damped step may gain little only since it is short.
    const bool is_short = exact && damping > kNoDamping && is_lower;
    if (out.relative_gap <= std::max(kShareOfGap * gap_to_stop, kCostRounding) && !is_short) {
      const auto woken =
          out.cost < (1 - gap_to_stop) * cost_when_woken ? fit.wake(out.at) : std::nullopt;
      if (!woken) {
        if (exact)
          sharpen(fit, box, stop, out);
        // A gain below the rounding of the cost still makes the constants more accurate.
        else if (trial_cost <= (1 + kCostRounding) * out.cost)
          out.at = trial;
        break;
      }
      cost_when_woken = out.cost;
      out.at = *woken;
      model = fit.quadratic(out.at);
      damping = kStartDamping;
    } else if (is_lower) {
      // In a curved valley, the damping stays at a value at which steps succeed, so that not every
      // second one is refused.
      damping = std::max(kNoDamping, (refused ? 0.7 : 0.1) * damping);
      refused = false;
      ++out.evaluations;
      out.at = trial;
      out.cost = trial_cost;
      model = fit.quadratic(trial);
    } else {
      ++out.evaluations;
      damping *= refused ? 10 : 4;
      refused = true;
    }
  }
  return out;
}

}  // namespace perfmodel

namespace perfmodel::optimise {
namespace {

constexpr double kSufficientGain = 1e-4;
constexpr std::size_t kMostHalvings = 20;

struct Correction {
  VectorXd step;
  VectorXd change;  ///< change of the gradient
  double product = 0;
};

class Descent {
 public:
  Descent(const SmoothObjective& objective, const Bounds& bounds, const VectorXd& start,
          const QuasiNewtonOptions& options)
      : objective_(objective), bounds_(bounds), options_(options), x_(start) {
    cost_ = cost_of(x_);
    gradient_ = gradient_at(x_);
  }

  QuasiNewtonResult run() {
    std::size_t iterations = 0;
    while (iterations < options_.iterations && evaluations_ < options_.evaluations &&
           !options_.stop.stop_requested() && largest_descent() > options_.projected_gradient) {
      const double before = cost_;
      if (!step()) {
        if (corrections_.empty())
          break;
        corrections_.clear();  // a last try along the gradient itself
        continue;
      }
      ++iterations;
      if (before - cost_ <= options_.reduction * std::max({std::abs(before), std::abs(cost_), 1.0}))
        break;
    }
    return {.best = x_, .cost = cost_, .iterations = iterations, .evaluations = evaluations_};
  }

 private:
  double cost_of(const VectorXd& x) {
    const double cost = objective_.cost(x);
    ++evaluations_;
    return std::isfinite(cost) ? cost : std::numeric_limits<double>::infinity();
  }

  /// At the point of the last cost.
  VectorXd gradient_at(const VectorXd& x) {
    VectorXd gradient = objective_.gradient();
    evaluations_ += objective_.costs_of_gradient;
    for (Index j = 0; j < x.size(); ++j)
      if (!std::isfinite(gradient[j]) || bounds_.lower[j] >= bounds_.upper[j])
        gradient[j] = 0;
    return gradient;
  }

  bool held(Index j) const {
    return (x_[j] <= bounds_.lower[j] && gradient_[j] > 0) ||
           (x_[j] >= bounds_.upper[j] && gradient_[j] < 0);
  }

  VectorXd free_part(VectorXd direction) const {
    for (Index j = 0; j < direction.size(); ++j)
      if (held(j))
        direction[j] = 0;
    return direction;
  }

  VectorXd projected(const VectorXd& x) const {
    return x.cwiseMax(bounds_.lower).cwiseMin(bounds_.upper);
  }

  /// Length of the step to the nearest point of the box along the gradient.
  double largest_descent() const { return (projected(x_ - gradient_) - x_).cwiseAbs().maxCoeff(); }

  /// The two loops of Nocedal (1980) for the free coordinates.
  VectorXd direction() const {
    VectorXd q = free_part(gradient_);
    std::vector<double> share(corrections_.size());
    for (std::size_t k = corrections_.size(); k-- > 0;) {
      share[k] = corrections_[k].step.dot(q) / corrections_[k].product;
      q -= share[k] * corrections_[k].change;
    }
    if (!corrections_.empty()) {
      const Correction& last = corrections_.back();
      q *= last.product / last.change.squaredNorm();
    } else {
      q *= std::min(1.0, 1 / q.norm());
    }
    for (std::size_t k = 0; k < corrections_.size(); ++k) {
      const double back = corrections_[k].change.dot(q) / corrections_[k].product;
      q += (share[k] - back) * corrections_[k].step;
    }
    return -free_part(q);
  }

  bool step() {
    const VectorXd along = direction();
    if (gradient_.dot(along) >= 0)
      return false;
    double length = 1;
    for (std::size_t k = 0; k < kMostHalvings; ++k, length *= 0.5) {
      const VectorXd x = projected(x_ + length * along);
      const double cost = cost_of(x);
      if (cost < cost_ && cost <= cost_ + kSufficientGain * gradient_.dot(x - x_)) {
        accept(x, cost);
        return true;
      }
    }
    return false;
  }

  void accept(const VectorXd& x, double cost) {
    const VectorXd gradient = gradient_at(x);
    Correction correction{.step = x - x_, .change = gradient - gradient_};
    correction.product = correction.step.dot(correction.change);
    // Only pairs with positive curvature keep the approximation positive definite.
    if (correction.product >
        std::numeric_limits<double>::epsilon() * correction.change.squaredNorm()) {
      corrections_.push_back(std::move(correction));
      if (corrections_.size() > options_.corrections)
        corrections_.pop_front();
    }
    x_ = x;
    cost_ = cost;
    gradient_ = gradient;
  }

  const SmoothObjective& objective_;
  const Bounds& bounds_;
  const QuasiNewtonOptions& options_;
  VectorXd x_;
  double cost_ = 0;
  VectorXd gradient_;
  std::deque<Correction> corrections_;
  std::size_t evaluations_ = 0;
};

}  // namespace

QuasiNewtonResult quasi_newton(const BatchObjective& objective, const Bounds& bounds,
                               const VectorXd& start, const QuasiNewtonOptions& options) {
  VectorXd at;
  double cost = 0;
  const auto costs_of = [&](const MatrixXd& points) {
    const auto count = static_cast<std::size_t>(points.cols());
    const std::vector<double> no_limit(count, std::numeric_limits<double>::infinity());
    std::vector<double> costs(count);
    objective(points, no_limit, costs);
    return costs;
  };
  // Forward differences unless they would leave the box.
  const auto gradient = [&] {
    MatrixXd points = at.replicate(1, at.size());
    for (Index j = 0; j < at.size(); ++j)
      points(j, j) +=
          at[j] + options.difference <= bounds.upper[j] ? options.difference : -options.difference;
    const std::vector<double> costs = costs_of(points);
    VectorXd out(at.size());
    for (Index j = 0; j < at.size(); ++j)
      out[j] = (costs[static_cast<std::size_t>(j)] - cost) / (points(j, j) - at[j]);
    return out;
  };
  const auto cost_at = [&](const VectorXd& x) {
    at = x;
    return cost = costs_of(x).front();
  };
  const SmoothObjective by_differences{cost_at, gradient, static_cast<std::size_t>(start.size())};
  return quasi_newton(by_differences, bounds, start, options);
}

QuasiNewtonResult quasi_newton(const SmoothObjective& objective, const Bounds& bounds,
                               const VectorXd& start, const QuasiNewtonOptions& options) {
  return Descent(objective, bounds, start, options).run();
}

}  // namespace perfmodel::optimise
