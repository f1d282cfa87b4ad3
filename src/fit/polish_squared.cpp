#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "fit/arrow_matrix.hpp"
#include "fit/idle_terms.hpp"
#include "fit/penalty.hpp"
#include "fit/polish.hpp"
#include "fit/scaled_model.hpp"
#include "perfmodel/optimise/level_columns.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t kMostDampedSteps = 500;
constexpr double kStartDamping = 1e-3;
constexpr double kLargestDamping = 1e12;
constexpr double kCostRounding = 1e-14;
constexpr double kShareOfGap = 0.1;  // steps of damped least squares soon gain little by little

/// Loss plus penalty near a point: cost + g'd + d'Hd/2.
struct CostParabola {
  VectorXd gradient;
  ArrowMatrix hessian;
  /// Without the second derivatives of the predictions: never indefinite, but slow to converge
  /// where residuals remain.
  ArrowMatrix gauss_newton;
};

class SquaredFit {
 public:
  SquaredFit(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
             const FitOptions& options)
      : rows_(rows),
        training_(rows.design()),
        penalty_(penalty),
        logarithmic_(options.loss == Loss::rmsle),
        model_(training_, space) {}

  double cost(const VectorXd& scaled) const {
    const double mean = mean_square(residuals(model_.predict(scaled)));
    if (!std::isfinite(mean))
      return std::numeric_limits<double>::infinity();
    return (logarithmic_ ? std::sqrt(mean) : mean) + penalty_(scaled);
  }

  CostParabola quadratic(const VectorXd& scaled) const {
    optimise::LevelMatrix jacobian;
    const VectorXd predicted = model_.linearise(scaled, jacobian);
    const VectorXd residual = residuals(predicted);
    const VectorXd pull = weighted(residual);
    const ArrowMatrix bend =
        model_.curvature(jacobian, logarithmic_ ? VectorXd(pull.cwiseQuotient(predicted)) : pull);
    if (logarithmic_) {
      jacobian.others.array().colwise() /= predicted.array();
      if (!jacobian.levels.empty())
        jacobian.levels.value.array() /= predicted.array();
    }
    double factor = 2 / rows_.total_weight();
    // d sqrt(m) = dm / (2 sqrt(m))
    const double root = logarithmic_ ? std::max(1e-300, std::sqrt(mean_square(residual))) : 1;
    if (logarithmic_)
      factor /= 2 * root;
    CostParabola out{.gradient = optimise::scaled_transposed_product(-factor, jacobian, pull),
                     .hessian = {},
                     .gauss_newton = gram(factor, jacobian, rows_.weights())};
    out.hessian = out.gauss_newton;
    out.hessian.add(-factor, bend);
    if (logarithmic_) {
      // The logarithm bends, too, and so does the root. What the root takes away couples all
      // levels; it vanishes at the optimum, and is left out where they are many.
      if (jacobian.levels.empty())
        out.hessian.core +=
            factor * (jacobian.others.transpose() * pull.asDiagonal() * jacobian.others) -
            out.gradient * out.gradient.transpose() / root;
      else
        out.hessian.add(1, gram(factor, jacobian, pull));
    }
    if (penalty_.active())
      add_penalty(scaled, out);
    return out;
  }

  /// The constants from which the finish can go on where no step gains any more; see
  /// wake_idle_terms. A penalty also holds idle powers: then there are none.
  std::optional<VectorXd> wake(const SearchSpace& space, const VectorXd& scaled) const {
    if (penalty_.active())
      return std::nullopt;
    const VectorXd predicted = model_.predict(scaled);
    VectorXd pull = -weighted(residuals(predicted));  // d cost / d prediction, up to a factor
    if (logarithmic_)
      pull.array() /= predicted.array();
    return wake_idle_terms(training_, space, scaled, pull);
  }

 private:
  const WeightedRows& rows_;
  const Design& training_;
  const Regulariser& penalty_;
  bool logarithmic_;
  ScaledModel model_;

  VectorXd residuals(const VectorXd& predicted) const {
    if (!logarithmic_)
      return training_.time - predicted;
    return training_.time.array().log() - predicted.array().log();
  }

  VectorXd weighted(const VectorXd& residual) const {
    return rows_.weights().size() > 0 ? VectorXd(rows_.weights().cwiseProduct(residual)) : residual;
  }

  /// Over all runs.
  double mean_square(const VectorXd& residual) const {
    const double sum =
        rows_.weights().size() > 0 ? residual.dot(weighted(residual)) : residual.squaredNorm();
    return (sum + rows_.scatter()) / rows_.total_weight();
  }

  /// |v| is replaced by its tangent parabola v^2 / (2 |v0|), which touches it from above.
  void add_penalty(const VectorXd& scaled, CostParabola& out) const {
    const PenalisedConstants penalised = penalty_.linearise(scaled);
    const VectorXd curvature =
        (penalty_.l1() / penalised.values.array().abs().max(1e-12) + 2 * penalty_.l2()).matrix();
    out.gradient +=
        optimise::transposed_product(penalised.gradients.others, penalised.gradients.levels,
                                     curvature.cwiseProduct(penalised.values));
    const ArrowMatrix bend = gram(1, penalised.gradients, curvature);
    out.hessian.add(1, bend);
    out.gauss_newton.add(1, bend);
  }
};

/// The step to the minimum of a damped parabola in the box: constants that the step would carry
/// past a bound go to the bound, and the others are solved for again. Nothing where the parabola
/// opens downwards.
std::optional<VectorXd> damped_step(const CostParabola& model, const ArrowMatrix& curvature,
                                    double damping, const VectorXd& at,
                                    const optimise::Bounds& box) {
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
    const auto solved = solve_free(damped, held, -(model.gradient + curvature * step));
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

PolishResult polish_squared(const WeightedRows& rows, const SearchSpace& space,
                            const Regulariser& penalty, const FitOptions& options,
                            const VectorXd& start, double gap_to_stop) {
  const SquaredFit fit(rows, space, penalty, options);
  PolishResult out;
  out.scaled = start;
  out.cost = fit.cost(start);
  CostParabola model = fit.quadratic(start);
  double damping = kStartDamping;
  double cost_when_woken = std::numeric_limits<double>::infinity();
  while (out.steps < kMostDampedSteps && damping < kLargestDamping &&
         !options.stop.stop_requested()) {
    ++out.steps;
    // Newton's step where there is one.
    const ArrowMatrix* curvature = &model.hessian;
    auto step = damped_step(model, *curvature, damping, out.scaled, space.scaled());
    if (!step) {
      curvature = &model.gauss_newton;
      step = damped_step(model, *curvature, damping, out.scaled, space.scaled());
    }
    if (!step) {
      damping *= 10;
      continue;
    }
    const VectorXd trial =
        (out.scaled + *step).cwiseMax(space.scaled().lower).cwiseMin(space.scaled().upper);
    const VectorXd moved = trial - out.scaled;
    const double gain = -(model.gradient.dot(moved) + 0.5 * moved.dot(*curvature * moved));
    out.relative_gap = out.cost > 0 ? std::abs(gain) / out.cost : 0;
    if (out.relative_gap <= kShareOfGap * gap_to_stop) {
      const auto woken = out.cost < (1 - gap_to_stop) * cost_when_woken
                             ? fit.wake(space, out.scaled)
                             : std::nullopt;
      if (!woken) {
        // What the cost cannot resolve any more still sharpens the constants.
        if (fit.cost(trial) <= (1 + kCostRounding) * out.cost)
          out.scaled = trial;
        break;
      }
      cost_when_woken = out.cost;
      out.scaled = *woken;
      model = fit.quadratic(out.scaled);
      damping = kStartDamping;
      continue;
    }
    const double trial_cost = fit.cost(trial);
    ++out.evaluations;
    if (gain > 0 && trial_cost < out.cost) {
      damping = std::max(1e-15, 0.1 * damping);
      out.scaled = trial;
      out.cost = trial_cost;
      model = fit.quadratic(trial);
    } else {
      damping *= 10;
    }
  }
  return out;
}

}  // namespace perfmodel
