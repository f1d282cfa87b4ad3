#include "search/finish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "optimise/least_absolute_deviations.hpp"
#include "optimise/newton.hpp"

namespace perfmodel {

using optimise::LevelColumns;

double mean_loss(const MeasuredRows& rows, const SignedLoss& loss, const VectorXd& predicted,
                 bool positive) {
  if (!predicted.allFinite() || (positive && !(predicted.minCoeff() > 0)))
    return std::numeric_limits<double>::infinity();
  const double mean =
      rows.shares.dot(row_losses(loss, rows.time, predicted).matrix()) + rows.scatter;
  return facts_of(loss.loss).is_root ? std::sqrt(mean) : mean;
}

namespace {

/// An absolute loss as a sequence of linear problems in the changes of the constants.
class AbsoluteFinish : public LinearisedRows {
 public:
  AbsoluteFinish(const SmoothModel& model, const MeasuredRows& rows, const SignedLoss& loss,
                 const PenaltyTerms& penalty)
      : model_(model),
        measured_(rows),
        loss_(loss),
        penalty_(penalty),
        rows_(rows.time.size()),
        weights_(rows.shares.cwiseProduct(deviation_weights(loss.loss, rows.time))) {}

  double cost(const VectorXd& x) const override {
    return mean_loss(measured_, loss_, model_.predict(x), false) + penalty_(x);
  }

  void linearise_at(const VectorXd& x) override {
    at_ = x;
    const auto linearised = model_.linearised(x);
    predicted_ = linearised->predicted();
    jacobian_ = linearised->jacobian();
    effects_ = (1 + std::abs(loss_.tilt)) *
               optimise::absolute_transposed_product(jacobian_.others, jacobian_.levels, weights_);
    if (penalty_.active())
      penalised_ = penalty_.linearise(x);
  }

  optimise::LadProblem problem(double radius, double& constant) const override {
    optimise::LadProblem out;
    out.bounds = model_.around(at_, radius, penalty_.l2() > 0);
    const Index penalised = penalty_.active() ? penalised_.values.size() : 0;
    const Index l1_rows = penalty_.l1() > 0 ? penalised : 0;
    const Index l2_rows = penalty_.l2() > 0 ? penalised * optimise::kSquareRows : 0;
    const Index all = rows_ + l1_rows + l2_rows;
    out.levels = jacobian_.levels;
    out.matrix.resize(all, jacobian_.others.cols());
    out.response.resize(all);
    out.weights.resize(all);
    out.linear = VectorXd::Zero(at_.size());
    out.matrix.topRows(rows_) = jacobian_.others;
    out.response.head(rows_) = measured_.time - predicted_;
    out.weights.head(rows_) = weights_;
    constant = 0;
    if (loss_.tilt != 0) {
      const VectorXd tilted = loss_.tilt * weights_;
      out.linear -= optimise::transposed_product(jacobian_.others, jacobian_.levels, tilted);
      constant -= tilted.dot(measured_.time - predicted_);
    }
    if (l1_rows > 0) {
      out.matrix.middleRows(rows_, l1_rows) = penalised_.gradients.others;
      add_levels(0, l1_rows, 1, out.levels);
      out.response.segment(rows_, l1_rows) = -penalised_.values;
      out.weights.segment(rows_, l1_rows).setConstant(penalty_.l1());
    }
    if (l2_rows > 0)
      add_squares(rows_ + l1_rows, out, constant);
    return out;
  }

  VectorXd correction(const optimise::LadResult& step, const VectorXd& trial) const override {
    const VectorXd predicted = model_.predict(trial);
    VectorXd raises = VectorXd::Zero(index(step.active_rows.size()));
    for (std::size_t k = 0; k < step.active_rows.size(); ++k) {
      const Index row = step.active_rows[k];
      if (row < rows_)  // others belong to the penalty
        raises[index(k)] = measured_.time[row] - predicted[row];
    }
    return step.vertex->change_for(raises);
  }

  /// A penalty also acts on idle terms, so that none is woken.
  std::optional<VectorXd> wake(const optimise::LadResult& step) const override {
    return penalty_.active() ? std::nullopt : model_.wake(at_, pull(step));
  }

  VectorXd inside(const VectorXd& x, double cost) const override {
    return model_.inside(x, effects_, cost);
  }

  double length(const VectorXd& step) const override { return model_.length(step); }

  bool length_bounds_radius() const override { return model_.holds_all_curved(penalty_.l2() > 0); }

 private:
  const SmoothModel& model_;
  const MeasuredRows& measured_;
  SignedLoss loss_;
  const PenaltyTerms& penalty_;
  Index rows_;
  VectorXd weights_;
  VectorXd at_;
  VectorXd predicted_;
  optimise::LevelMatrix jacobian_;
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
    const VectorXd slopes =
        step.vertex->slopes(optimise::transposed_product(jacobian_.others, jacobian_.levels, out));
    for (std::size_t k = 0; k < step.active_rows.size(); ++k) {
      const Index row = step.active_rows[k];
      if (row < rows_)
        out[row] += std::clamp(-slopes[index(k)], -weights_[row], weights_[row]);
    }
    return out;
  }

  /// l2 (u + v)^2 = l2 (u^2 + 2 u v + v^2), v = g'd: all terms but the last are linear.
  void add_squares(Index row, optimise::LadProblem& out, double& constant) const {
    const optimise::LevelMatrix& gradients = penalised_.gradients;
    const VectorXd& u = penalised_.values;
    out.linear +=
        optimise::transposed_product(gradients.others, gradients.levels, 2 * penalty_.l2() * u);
    constant -= penalty_.l2() * u.squaredNorm();
    const VectorXd reach = out.bounds.upper.cwiseMax(-out.bounds.lower);
    const VectorXd of_others = gradients.levels.others(reach);
    for (Index k = 0; k < u.size(); ++k) {
      const VectorXd direction = gradients.others.row(k);
      double reached =
          direction.cwiseAbs().dot((direction.array() == 0).select(0, of_others.array()).matrix());
      const Index level = gradients.levels.empty()
                              ? LevelColumns::none
                              : gradients.levels.of_row[static_cast<std::size_t>(k)];
      if (level != LevelColumns::none)
        reached += std::abs(gradients.levels.value[k]) * reach[gradients.levels.first + level];
      add_levels(k, 1, optimise::kSquareRows, out.levels);
      optimise::put_square(direction, penalty_.l2(), reached, row + k * optimise::kSquareRows, out,
                           constant);
    }
  }

  /// Appends the levels of penalised constants, each repeated `times` times.
  void add_levels(Index first, Index count, Index times, LevelColumns& to) const {
    if (to.empty())
      return;
    const LevelColumns& from = penalised_.gradients.levels;
    for (Index k = first; k < first + count; ++k)
      to.of_row.insert(to.of_row.end(), static_cast<std::size_t>(times),
                       from.of_row[static_cast<std::size_t>(k)]);
    const Index before = to.value.size();
    to.value.conservativeResize(before + count * times);
    for (Index k = 0; k < count * times; ++k)
      to.value[before + k] = from.value[first + k / times];
  }
};

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
    if (facts_of(loss_).is_root && out.hessian.is_dense())
      out.hessian.core -= out.gradient * out.gradient.transpose() / root;
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
    out.gradient +=
        optimise::transposed_product(penalised.gradients.others, penalised.gradients.levels,
                                     curvature.cwiseProduct(penalised.values));
    const ArrowMatrix bend = gram(penalised.gradients, curvature);
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

ArrowMatrix curvature_at(const SmoothModel& model, const MeasuredRows& rows, const SignedLoss& loss,
                         const PenaltyTerms& penalty, const VectorXd& at) {
  return SmoothFinish(model, rows, loss.loss, penalty).quadratic(at).hessian;
}

}  // namespace perfmodel
