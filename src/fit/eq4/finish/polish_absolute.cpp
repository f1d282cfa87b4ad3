#include <algorithm>
#include <cmath>
#include <optional>

#include "fit/eq4/finish/idle_terms.hpp"
#include "fit/eq4/finish/polish.hpp"
#include "fit/eq4/finish/scaled_model.hpp"
#include "fit/eq4/finish/scaled_steps.hpp"
#include "fit/eq4/space/penalty.hpp"
#include "optimise/algebra/level_columns.hpp"
#include "optimise/lad/sequential_lad.hpp"
#include "optimise/lad/square_rows.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// The fit as a sequence of linear problems, one per step, in the changes of the scaled constants.
class LinearisedFit : public LinearisedRows {
 public:
  LinearisedFit(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                const FitOptions& options)
      : training_(rows.design()),
        space_(space),
        penalty_(penalty),
        model_(training_, space),
        rows_(static_cast<Index>(rows.size())),
        constants_(static_cast<Index>(space.layout().size())),
        steps_(space) {
    weights_ = VectorXd::Constant(rows_, 1.0 / rows.total_weight());
    if (rows.weights().size() > 0)
      weights_.array() *= rows.weights().array();
    if (options.loss == Loss::mape)
      weights_.array() /= training_.time.array();
  }

  double cost(const VectorXd& scaled) const override {
    const double loss = weights_.dot((training_.time - model_.predict(scaled)).cwiseAbs());
    return loss + penalty_(scaled);
  }

  void linearise_at(const VectorXd& scaled) override {
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
  optimise::LadProblem problem(double radius, double& constant) const override {
    optimise::LadProblem out;
    out.bounds = steps_.around(at_, radius, penalty_.l2() > 0);
    const Index penalised = constants_ - 1;
    const Index l1_rows = penalty_.l1() > 0 ? penalised : 0;
    const Index l2_rows = penalty_.l2() > 0 ? penalised * optimise::kSquareRows : 0;
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
  VectorXd correction(const optimise::LadResult& step, const VectorXd& trial) const override {
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
  std::optional<VectorXd> wake(const optimise::LadResult& step) const override {
    if (penalty_.active())
      return std::nullopt;
    return wake_idle_terms(training_, space_, at_, pull(step));
  }

  VectorXd inside(const VectorXd& scaled, double cost) const override {
    return steps_.inside(scaled, effects_, cost);
  }

  double length(const VectorXd& step) const override { return steps_.length(step); }

  /// A squared penalty is curved in a, too.
  bool length_bounds_radius() const override { return penalty_.l2() == 0; }

 private:
  const Design& training_;
  const SearchSpace& space_;
  const Regulariser& penalty_;
  ScaledModel model_;
  Index rows_;
  Index constants_;
  ScaledSteps steps_;
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
    for (const Index row : step.active_rows)
      if (row < rows_)
        out[row] = 0;
    const VectorXd slopes =
        step.vertex->slopes(optimise::transposed_product(jacobian_.others, jacobian_.levels, out));
    for (std::size_t k = 0; k < step.active_rows.size(); ++k) {
      const Index row = step.active_rows[k];
      if (row < rows_)
        out[row] = std::clamp(-slopes[static_cast<Index>(k)], -weights_[row], weights_[row]);
    }
    return out;
  }

  /// lambda (v + u)^2, u = g'd: the linear part 2 lambda v u is exact.
  void add_squared_penalty(Index row, optimise::LadProblem& out, double& constant) const {
    const optimise::LevelMatrix& gradients = penalised_.gradients;
    const VectorXd reach = out.bounds.upper.cwiseMax(-out.bounds.lower);
    const VectorXd reach_of_others = gradients.levels.others(reach);
    for (Index k = 0; k < penalised_.values.size(); ++k) {
      const VectorXd gradient = gradients.others.row(k);
      VectorXd bounded = gradient.cwiseAbs().cwiseProduct(reach_of_others);
      for (Index j = 0; j < bounded.size(); ++j)
        if (gradient[j] == 0)
          bounded[j] = 0;
        else
          out.linear[column_of(j)] += 2 * penalty_.l2() * penalised_.values[k] * gradient[j];
      double sum = bounded.sum();
      const Index level = gradients.levels.of_row[static_cast<std::size_t>(k)];
      if (level != optimise::LevelColumns::none) {
        const double own = gradients.levels.value[k];
        out.linear[gradients.levels.first + level] +=
            2 * penalty_.l2() * penalised_.values[k] * own;
        sum += std::abs(own) * reach[gradients.levels.first + level];
      }
      constant -= penalty_.l2() * penalised_.values[k] * penalised_.values[k];
      if (!out.levels.empty())
        add_levels(gradients.levels, k, 1, optimise::kSquareRows, out.levels);
      optimise::put_square(gradient, penalty_.l2(), sum, row + k * optimise::kSquareRows, out,
                           constant);
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
  SequentialLadResult end = minimise_by_sequential_lad(fit, start, gap_to_stop, options.stop);
  return {std::move(end.at), end.cost, end.relative_gap, end.steps, end.evaluations};
}

}  // namespace perfmodel
