#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "fit/idle_terms.hpp"
#include "fit/penalty.hpp"
#include "fit/polish.hpp"
#include "fit/scaled_model.hpp"
#include "perfmodel/optimise/least_absolute_deviations.hpp"
#include "perfmodel/optimise/level_columns.hpp"

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
constexpr double kRounding = 1e-13;
/// Gap beyond which an optimum is not taken as proven.
constexpr double kUnproven = 1e-9;
/// Kinks on either side that stand in for the curve of a squared penalty.
constexpr Index kKinks = 4;

/// The fit as a sequence of linear problems, one per step, in the changes of the scaled constants.
class LinearisedFit {
 public:
  LinearisedFit(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                const FitOptions& options)
      : training_(rows.design()),
        space_(space),
        penalty_(penalty),
        model_(training_, space),
        rows_(static_cast<Index>(rows.size())),
        constants_(static_cast<Index>(space.layout().size())),
        first_power_(static_cast<Index>(space.layout().intrinsic_power(0))) {
    weights_ = VectorXd::Constant(rows_, 1.0 / rows.total_weight());
    if (rows.weights().size() > 0)
      weights_.array() *= rows.weights().array();
    if (options.loss == Loss::mape)
      weights_.array() /= training_.time.array();
  }

  double cost(const VectorXd& scaled) const {
    const double loss = weights_.dot((training_.time - model_.predict(scaled)).cwiseAbs());
    return loss + penalty_(scaled);
  }

  void linearise_at(const VectorXd& scaled) {
    at_ = scaled;
    predicted_ = model_.linearise(scaled, jacobian_);
    effects_ = (weights_.transpose() * jacobian_.others.cwiseAbs()).transpose();
    if (!jacobian_.levels.empty())
      effects_ =
          optimise::absolute_transposed_product(jacobian_.others, jacobian_.levels, weights_);
    if (penalty_.active())
      penalised_ = penalty_.linearise(scaled);
  }

  /// The problem within the trust region; `constant` is what its cost holds on top of the fit's.
  optimise::LadProblem problem(double radius, double& constant) const {
    optimise::LadProblem out;
    set_box(radius, out);
    const Index penalised = constants_ - 1;
    const Index l1_rows = penalty_.l1() > 0 ? penalised : 0;
    const Index l2_rows = penalty_.l2() > 0 ? penalised * 2 * kKinks : 0;
    const Index all = rows_ + l1_rows + l2_rows;
    out.levels = jacobian_.levels;
    out.matrix.resize(all, jacobian_.others.cols());
    out.response.resize(all);
    out.weights.resize(all);
    out.linear = VectorXd::Zero(constants_);
    out.matrix.topRows(rows_) = jacobian_.others;
    out.response.head(rows_) = training_.time - predicted_;
    out.weights.head(rows_) = weights_;
    constant = 0;
    if (l1_rows > 0) {
      out.matrix.middleRows(rows_, l1_rows) = penalised_.gradients.others;
      if (!out.levels.empty())
        add_levels(penalised_.gradients.levels, 0, l1_rows, 1, out.levels);
      out.response.segment(rows_, l1_rows) = -penalised_.values;
      out.weights.segment(rows_, l1_rows).setConstant(penalty_.l1());
    }
    if (l2_rows > 0)
      add_squared_penalty(rows_ + l1_rows, out, constant);
    return out;
  }

  /// The change of the constants that brings the residuals of the step's active rows back to zero
  /// where the curvature of the model has moved them: a second-order correction.
  VectorXd correction(const optimise::LadResult& step, const VectorXd& trial) const {
    const VectorXd predicted = model_.predict(trial);
    VectorXd raises = VectorXd::Zero(static_cast<Index>(step.active_rows.size()));
    for (std::size_t k = 0; k < step.active_rows.size(); ++k) {
      const Index row = step.active_rows[k];
      if (row < rows_)  // else of the penalty
        raises[static_cast<Index>(k)] = training_.time[row] - predicted[row];
    }
    return step.vertex->change_for(raises);
  }

  /// The constants from which the finish can go on where no step gains any more; see
  /// wake_idle_terms. A penalty also holds idle powers: then there are none.
  std::optional<VectorXd> wake(const optimise::LadResult& step) const {
    if (penalty_.active())
      return std::nullopt;
    return wake_idle_terms(training_, space_, at_, pull(step));
  }

  /// In the box. A step to a bound must arrive there: a coefficient whose term moves the cost by
  /// less than rounding is a 0 that rounding has missed. How much it moves depends on its column: a
  /// coefficient of 1e-14 counts where I^p is 1e10.
  VectorXd inside(const VectorXd& scaled, double cost) const {
    const VectorXd& lower = space_.scaled().lower;
    const VectorXd& upper = space_.scaled().upper;
    VectorXd out = scaled.cwiseMax(lower).cwiseMin(upper);
    for (Index k = 0; k < out.size(); ++k) {
      const bool power = k >= first_power_ && k < constants_ - 1;
      const double above = out[k] - lower[k];
      if (power ? above < kRounding * (upper[k] - lower[k])
                : above * effects_[k] < kRounding * cost)
        out[k] = lower[k];
    }
    return out;
  }

  Index first_power() const { return first_power_; }

 private:
  const Design& training_;
  const SearchSpace& space_;
  const Regulariser& penalty_;
  ScaledModel model_;
  Index rows_;
  Index constants_;
  Index first_power_;
  VectorXd weights_;
  VectorXd at_;
  VectorXd predicted_;
  optimise::LevelMatrix jacobian_;
  VectorXd effects_;  ///< weighted mean of each column of the jacobian, without signs
  PenalisedConstants penalised_;

  /// d cost / d prediction of each row at the optimum that `step` has confirmed. A row without a
  /// residual pulls as hard as holding it takes.
  VectorXd pull(const optimise::LadResult& step) const {
    const VectorXd residual = training_.time - predicted_;
    VectorXd out = (residual.array() > 0).select(-weights_, weights_);
    for (const Index row : step.active_rows) {
      if (row < rows_)
        out[row] = 0;
    }
    const VectorXd slopes =
        step.vertex->slopes(optimise::transposed_product(jacobian_.others, jacobian_.levels, out));
    for (std::size_t k = 0; k < step.active_rows.size(); ++k) {
      const Index row = step.active_rows[k];
      if (row < rows_)
        out[row] = std::clamp(-slopes[static_cast<Index>(k)], -weights_[row], weights_[row]);
    }
    return out;
  }

  /// The trust region holds the powers; the model is linear in a and C. Only a squared penalty,
  /// which is curved in a, holds a too.
  void set_box(double radius, optimise::LadProblem& out) const {
    out.bounds.lower = space_.scaled().lower - at_;
    out.bounds.upper = space_.scaled().upper - at_;
    VectorXd reach = VectorXd::Constant(constants_, radius);
    if (penalty_.l2() > 0) {
      reach.head(first_power_) =
          radius * at_.head(first_power_)
                       .cwiseAbs()
                       .cwiseMax(0.05 * space_.scaled().upper.head(first_power_));
    } else {
      reach.head(first_power_).setConstant(std::numeric_limits<double>::infinity());
    }
    reach[constants_ - 1] = std::numeric_limits<double>::infinity();
    out.bounds.lower = out.bounds.lower.cwiseMax(-reach).cwiseMin(0);
    out.bounds.upper = out.bounds.upper.cwiseMin(reach).cwiseMax(0);
  }

  /// lambda (v + u)^2, u = g'd: the linear part 2 lambda v u is exact, and lambda u^2 becomes
  /// lambda s sum_k |u - b_k| with kinks b_k = +-(k + 1/2) s over the reach of u, up to a constant.
  void add_squared_penalty(Index row, optimise::LadProblem& out, double& constant) const {
    const optimise::LevelMatrix& gradients = penalised_.gradients;
    const VectorXd reach = out.bounds.upper.cwiseMax(-out.bounds.lower);
    const VectorXd reach_of_others = gradients.levels.others(reach);
    for (Index k = 0; k < penalised_.values.size(); ++k) {
      const VectorXd gradient = gradients.others.row(k);
      VectorXd bounded = gradient.cwiseAbs().cwiseProduct(reach_of_others);
      for (Index j = 0; j < bounded.size(); ++j) {
        if (gradient[j] == 0)
          bounded[j] = 0;
        else
          out.linear[column_of(j)] += 2 * penalty_.l2() * penalised_.values[k] * gradient[j];
      }
      double sum = bounded.sum();
      const Index level = gradients.levels.of_row[static_cast<std::size_t>(k)];
      if (level != optimise::LevelColumns::none) {
        const double own = gradients.levels.value[k];
        out.linear[gradients.levels.first + level] +=
            2 * penalty_.l2() * penalised_.values[k] * own;
        sum += std::abs(own) * reach[gradients.levels.first + level];
      }
      constant -= penalty_.l2() * penalised_.values[k] * penalised_.values[k];
      const double spacing = sum / static_cast<double>(kKinks);
      if (!out.levels.empty())
        add_levels(gradients.levels, k, 1, 2 * kKinks, out.levels);
      for (Index m = 0; m < kKinks; ++m) {
        for (const double side : {-1.0, 1.0}) {
          const double kink = side * (static_cast<double>(m) + 0.5) * spacing;
          out.matrix.row(row) = gradient.transpose();
          out.response[row] = kink;
          out.weights[row] = penalty_.l2() * spacing;
          constant += penalty_.l2() * spacing * std::abs(kink);
          ++row;
        }
      }
    }
  }

  /// Among all constants, of a column beside the levels'.
  Index column_of(Index other) const {
    return other < jacobian_.levels.first ? other : other + jacobian_.levels.count;
  }

  /// Appends rows `first` .. `first + count`, each `times`.
  static void add_levels(const optimise::LevelColumns& from, Index first, Index count, Index times,
                         optimise::LevelColumns& to) {
    for (Index k = first; k < first + count; ++k)
      to.of_row.insert(to.of_row.end(), static_cast<std::size_t>(times),
                       from.of_row[static_cast<std::size_t>(k)]);
    const Index before = to.value.size();
    to.value.conservativeResize(before + count * times);
    for (Index k = 0; k < count * times; ++k)
      to.value[before + k] = from.value[first + k / times];
  }
};

}  // namespace

PolishResult polish_absolute(const WeightedRows& rows, const SearchSpace& space,
                             const Regulariser& penalty, const FitOptions& options,
                             const VectorXd& start, double gap_to_stop) {
  LinearisedFit fit(rows, space, penalty, options);
  PolishResult out;
  out.scaled = start;
  out.cost = fit.cost(start);
  fit.linearise_at(start);
  double radius = kFirstRadius;
  std::optional<VectorXd> anchor;  // where the last step began
  double cost_when_woken = std::numeric_limits<double>::infinity();
  std::vector<Index> active_rows;
  while (out.steps < kMostSteps && radius > kSmallestRadius && !options.stop.stop_requested()) {
    ++out.steps;
    double constant = 0;
    const optimise::LadProblem problem = fit.problem(radius, constant);
    const optimise::LadResult step = optimise::solve_lad(
        problem, VectorXd::Zero(start.size()), {.active_rows = active_rows, .stop = options.stop});
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
        out.scaled = *woken;
        fit.linearise_at(*woken);
        radius = kFirstRadius;
        continue;
      }
    }
    if (at_end)
      break;
    VectorXd trial = fit.inside(out.scaled + step.x, out.cost);
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
    const Index powers = start.size() - 1 - fit.first_power();
    const double used =
        powers == 0 ? 0 : step.x.segment(fit.first_power(), powers).cwiseAbs().maxCoeff();
    if (ratio < 0.25)
      radius = 0.25 * (options.penalty.l2 > 0 ? radius : std::min(radius, used));
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
      anchor = out.scaled;
      out.scaled = trial;
      out.cost = trial_cost;
      fit.linearise_at(trial);
    }
  }
  return out;
}

}  // namespace perfmodel
