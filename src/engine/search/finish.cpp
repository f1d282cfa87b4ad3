#include "search/finish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "optimise/least_absolute_deviations.hpp"
#include "optimise/newton.hpp"

namespace perfmodel {

double mean_loss(const MeasuredRows& rows, const SignedLoss& loss, const VectorXd& predicted,
                 bool positive) {
  if (!predicted.allFinite() || (positive && !(predicted.minCoeff() > 0)))
    return std::numeric_limits<double>::infinity();
  const double mean =
      rows.shares.dot(row_losses(loss, rows.time, predicted).matrix()) + rows.scatter;
  return facts_of(loss.loss).is_root ? std::sqrt(mean) : mean;
}

namespace {

/// A sum of absolute deviations of a smooth model as a sequence of problems of linear models, one
/// per step, in the changes of the constants.
class AbsoluteFinish {
 public:
  AbsoluteFinish(const SmoothModel& model, const MeasuredRows& rows, const SignedLoss& loss,
                 const PenaltyTerms& penalty)
      : model_(model),
        measured_(rows),
        loss_(loss),
        penalty_(penalty),
        rows_(rows.time.size()),
        weights_(rows.shares.cwiseProduct(deviation_weights(loss.loss, rows.time))) {}

  double cost(const VectorXd& x) const {
    return mean_loss(measured_, loss_, model_.predict(x), false) + penalty_(x);
  }

  void linearise_at(const VectorXd& x) {
    at_ = x;
    const auto linearised = model_.linearised(x);
    predicted_ = linearised->predicted();
    jacobian_ = linearised->jacobian();
    effects_ = (1 + std::abs(loss_.tilt)) * jacobian_.absolute().transposed_times(weights_);
    if (penalty_.active())
      penalised_ = penalty_.linearise(x);
  }

  /// The problem within the trust region; `constant`: its cost minus that of the model.
  optimise::LadProblem problem(double radius, double& constant) const {
    optimise::LadProblem out;
    out.bounds = model_.around(at_, radius, penalty_.l2() > 0);
    const Index penalised = penalty_.active() ? penalised_.values.size() : 0;
    const Index l1_rows = penalty_.l1() > 0 ? penalised : 0;
    const Index l2_rows = penalty_.l2() > 0 ? penalised * optimise::kSquareRows : 0;
    const Index all = rows_ + l1_rows + l2_rows;
    out.matrix = jacobian_;
    out.response.resize(all);
    out.weights.resize(all);
    out.linear = VectorXd::Zero(at_.size());
    out.response.head(rows_) = measured_.time - predicted_;
    out.weights.head(rows_) = weights_;
    constant = 0;
    if (loss_.tilt != 0) {
      const VectorXd tilted = loss_.tilt * weights_;
      out.linear -= jacobian_.transposed_times(tilted);
      constant -= tilted.dot(measured_.time - predicted_);
    }
    if (l1_rows > 0) {
      out.matrix.append(penalised_.gradients, 1);
      out.response.segment(rows_, l1_rows) = -penalised_.values;
      out.weights.segment(rows_, l1_rows).setConstant(penalty_.l1());
    }
    if (l2_rows > 0)
      add_squares(rows_ + l1_rows, out, constant);
    return out;
  }

  /// The change of the constants that returns the residuals of the step's active rows to zero after
  /// the curvature of the model has moved them: a second-order correction.
  VectorXd correction(const optimise::LadResult& step, const VectorXd& trial) const {
    const VectorXd predicted = model_.predict(trial);
    VectorXd raises = VectorXd::Zero(index(step.active_rows.size()));
    for (std::size_t k = 0; k < step.active_rows.size(); ++k) {
      const Index row = step.active_rows[k];
      if (row < rows_)  // others belong to the penalty
        raises[index(k)] = measured_.time[row] - predicted[row];
    }
    return step.change_for(raises);
  }

  /// A penalty also acts on idle terms, so that none is woken.
  std::optional<VectorXd> wake(const optimise::LadResult& step) const {
    return penalty_.active() ? std::nullopt : model_.wake(at_, pull(step));
  }

  VectorXd inside(const VectorXd& x, double cost) const { return model_.inside(x, effects_, cost); }

  double length(const VectorXd& step) const { return model_.length(step); }

  /// True if the length of a step that fails limits the radius of the region: not if the radius
  /// does not limit all curved constants.
  bool length_bounds_radius() const { return model_.holds_all_curved(penalty_.l2() > 0); }

 private:
  const SmoothModel& model_;
  const MeasuredRows& measured_;
  SignedLoss loss_;
  const PenaltyTerms& penalty_;
  Index rows_;
  VectorXd weights_;
  VectorXd at_;
  VectorXd predicted_;
  optimise::RowMatrix jacobian_;
  VectorXd effects_;  ///< weighted sum of |J| per column
  PenalisedConstants penalised_;

  /// d cost / d prediction of each row at the optimum that `step` has confirmed. An exactly fitted
  /// row has a kink there and gets the slope that balances the others.
  VectorXd pull(const optimise::LadResult& step) const {
    VectorXd out = ((measured_.time - predicted_).array() > 0).select(-weights_, weights_);
    for (const Index row : step.active_rows)
      if (row < rows_)
        out[row] = 0;
    if (loss_.tilt != 0)
      out -= loss_.tilt * weights_;
    const VectorXd slopes = step.slopes(jacobian_.transposed_times(out));
    for (std::size_t k = 0; k < step.active_rows.size(); ++k) {
      const Index row = step.active_rows[k];
      if (row < rows_)
        out[row] += std::clamp(-slopes[index(k)], -weights_[row], weights_[row]);
    }
    return out;
  }

  /// l2 (u + v)^2 = l2 (u^2 + 2 u v + v^2), v = g'd: all terms but the last are linear.
  void add_squares(Index row, optimise::LadProblem& out, double& constant) const {
    const VectorXd& u = penalised_.values;
    out.matrix.append(penalised_.gradients, optimise::kSquareRows);
    out.linear += penalised_.gradients.transposed_times(2 * penalty_.l2() * u);
    constant -= penalty_.l2() * u.squaredNorm();
    const VectorXd reach = out.bounds.upper.cwiseMax(-out.bounds.lower);
    for (Index k = 0; k < u.size(); ++k) {
      const VectorXd direction = penalised_.gradients.row(k);
      const double reached =
          direction.cwiseAbs().dot((direction.array() == 0).select(0, reach.array()).matrix());
      optimise::put_square(penalty_.l2(), reached, row + k * optimise::kSquareRows, out, constant);
    }
  }
};

constexpr double kFirstRadius = 0.5;
constexpr double kSmallestRadius = 1e-8;
constexpr std::size_t kMostSteps = 100;
/// Predicted gain, as a share of the cost, below which idle terms are checked before refinement has
/// ended, and the gain since the last check that makes another worthwhile.
constexpr double kGainToWake = 1e-4;
constexpr double kGainBetweenWakes = 1e-3;
/// Share of the predicted gain above which a step needs no correction and the radius may grow.
constexpr double kGoodRatio = 0.75;
constexpr int kCorrections = 3;
/// Predicted gain, as a share of the cost, below which a step is also tried at a multiple.
constexpr double kGainToExtrapolate = 1e-5;
constexpr int kMostStrides = 10;
/// Gap above which an optimum does not count as proven.
constexpr double kUnproven = 1e-9;

/// Solves the problem from a change of zero.
optimise::LadResult solve(const optimise::LadProblem& problem,
                          const optimise::LadOptions& options) {
  return optimise::solve_lad(problem, VectorXd::Zero(problem.bounds.lower.size()), options);
}

/// Sequential linear programming: each step solves the linearised problem exactly within a trust
/// region (Osborne and Watson 1971; trust regions after Fletcher 1981). Never worse than the start.
Optimum minimise_by_sequential_lad(AbsoluteFinish& fit, const VectorXd& start, double gap_to_stop,
                                   const std::stop_token& stop) {
  Optimum out;
  out.at = start;
  out.cost = fit.cost(start);
  fit.linearise_at(start);
  double radius = kFirstRadius;
  std::optional<VectorXd> anchor;  // start of the last step
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
    // More kinks than constants may meet at the optimum. The rows that an earlier step has left
    // active may then be a set that proves nothing; a cold start to the same point finds one that
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
      // Small steps zigzag along a curved valley, from one side to the other: the sum of two
      // successive ones points along the valley.
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

/// Rounding of ln(time). The root of a smaller mean is no more accurate, and its derivatives at 0
/// would be infinite.
constexpr double kLeastRoot = 1e-15;

/// A loss with two derivatives.
class SmoothFinish : public CurvedProblem {
 public:
  SmoothFinish(const SmoothModel& model, const MeasuredRows& rows, Loss loss,
               const PenaltyTerms& penalty)
      : model_(model), rows_(rows), loss_(loss), penalty_(penalty) {}

  double cost(const VectorXd& x) const override {
    return mean_loss(rows_, loss_, model_.predict(x),
                     is_logarithmic(loss_) || model_.is_positive()) +
           penalty_(x);
  }

  CostParabola quadratic(const VectorXd& x) const override {
    const auto at = model_.linearised(x);
    RowDerivatives rows = row_derivatives(loss_, rows_.time, at->predicted());
    double root = 1;
    VectorXd shares = rows_.shares;
    if (facts_of(loss_).is_root) {
      // d sqrt(m) = dm / (2 sqrt(m))
      root = std::max(kLeastRoot, mean_loss(rows_, loss_, at->predicted(), true));
      shares /= 2 * root;
    }
    const VectorXd slope = shares.cwiseProduct(rows.slope);
    CostParabola out{.gradient = at->slopes(slope),
                     .hessian = {},
                     .gauss_newton = at->gram(shares.cwiseProduct(rows.convex_curvature))};
    out.hessian = at->hessian(
        shares.cwiseProduct(is_logarithmic(loss_) ? rows.curvature : rows.convex_curvature), slope);
    // The curvature of the root couples all levels. It vanishes at the optimum and is omitted if
    // there are many levels.
    if (facts_of(loss_).is_root && !out.hessian.is_sparse())
      out.hessian.dense -= out.gradient * out.gradient.transpose() / root;
    if (penalty_.active())
      add_penalty(x, out);
    return out;
  }

  std::optional<VectorXd> wake(const VectorXd& x) const override {
    if (penalty_.active())
      return std::nullopt;
    return model_.wake(
        x, rows_.shares.cwiseProduct(row_derivatives(loss_, rows_.time, model_.predict(x)).slope));
  }

 private:
  const SmoothModel& model_;
  const MeasuredRows& rows_;
  Loss loss_;
  const PenaltyTerms& penalty_;

  void add_penalty(const VectorXd& x, CostParabola& out) const {
    const PenalisedConstants penalised = penalty_.linearise(x);
    const VectorXd curvature = tangent_curvature(penalised.values, penalty_.l1(), penalty_.l2());
    out.gradient += penalised.gradients.transposed_times(curvature.cwiseProduct(penalised.values));
    const SymmetricMatrix bend = gram(penalised.gradients, curvature);
    out.hessian.add(1, bend);
    out.gauss_newton.add(1, bend);
  }
};

}  // namespace

MeasuredRows::MeasuredRows(const WeightedRows& rows)
    : time(rows.design().time),
      shares(VectorXd::Constant(time.size(), 1 / rows.total_weight())),
      scatter(rows.scatter() / rows.total_weight()) {
  if (rows.weights().size() > 0)
    shares.array() *= rows.weights().array();
}

MeasuredRows::MeasuredRows(const VectorXd& measured)
    : time(measured),
      shares(VectorXd::Constant(measured.size(), 1 / static_cast<double>(measured.size()))) {}

Optimum finish(const SmoothModel& model, const MeasuredRows& rows, const SignedLoss& loss,
               const PenaltyTerms& penalty, const VectorXd& start, double gap_to_stop,
               const std::stop_token& stop) {
  if (!is_absolute(loss.loss))
    return minimise_by_damped_newton(SmoothFinish(model, rows, loss.loss, penalty), model.box(),
                                     start, gap_to_stop, stop);
  AbsoluteFinish problem(model, rows, loss, penalty);
  return minimise_by_sequential_lad(problem, start, gap_to_stop, stop);
}

SymmetricMatrix curvature_at(const SmoothModel& model, const MeasuredRows& rows,
                             const SignedLoss& loss, const PenaltyTerms& penalty,
                             const VectorXd& at) {
  return SmoothFinish(model, rows, loss.loss, penalty).quadratic(at).hessian;
}

}  // namespace perfmodel
