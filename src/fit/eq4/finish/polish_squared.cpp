#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "fit/eq4/finish/idle_terms.hpp"
#include "fit/eq4/finish/polish.hpp"
#include "fit/eq4/finish/scaled_model.hpp"
#include "fit/eq4/space/penalty.hpp"
#include "optimise/algebra/level_columns.hpp"
#include "optimise/newton/damped_newton.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

class SquaredFit : public CurvedProblem {
 public:
  SquaredFit(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
             const FitOptions& options)
      : rows_(rows),
        training_(rows.design()),
        space_(space),
        penalty_(penalty),
        logarithmic_(options.loss == Loss::rmsle),
        model_(training_, space) {}

  double cost(const VectorXd& scaled) const override {
    const double mean = mean_square(residuals(model_.predict(scaled)));
    if (!std::isfinite(mean))
      return std::numeric_limits<double>::infinity();
    return (logarithmic_ ? std::sqrt(mean) : mean) + penalty_(scaled);
  }

  CostParabola quadratic(const VectorXd& scaled) const override {
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
  std::optional<VectorXd> wake(const VectorXd& scaled) const override {
    if (penalty_.active())
      return std::nullopt;
    const VectorXd predicted = model_.predict(scaled);
    VectorXd pull = -weighted(residuals(predicted));  // d cost / d prediction, up to a factor
    if (logarithmic_)
      pull.array() /= predicted.array();
    return wake_idle_terms(training_, space_, scaled, pull);
  }

 private:
  const WeightedRows& rows_;
  const Design& training_;
  const SearchSpace& space_;
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

  void add_penalty(const VectorXd& scaled, CostParabola& out) const {
    const PenalisedConstants penalised = penalty_.linearise(scaled);
    const VectorXd curvature = tangent_curvature(penalised.values, penalty_.l1(), penalty_.l2());
    out.gradient +=
        optimise::transposed_product(penalised.gradients.others, penalised.gradients.levels,
                                     curvature.cwiseProduct(penalised.values));
    const ArrowMatrix bend = gram(1, penalised.gradients, curvature);
    out.hessian.add(1, bend);
    out.gauss_newton.add(1, bend);
  }
};

}  // namespace

PolishResult polish_squared(const WeightedRows& rows, const SearchSpace& space,
                            const Regulariser& penalty, const FitOptions& options,
                            const VectorXd& start, double gap_to_stop) {
  const SquaredFit fit(rows, space, penalty, options);
  DampedNewtonResult end =
      minimise_by_damped_newton(fit, space.scaled(), start, gap_to_stop, options.stop);
  return {std::move(end.at), end.cost, end.relative_gap, end.steps, end.evaluations};
}

}  // namespace perfmodel
