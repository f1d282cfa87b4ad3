#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "fit/eq4/finish/polish.hpp"
#include "fit/eq4/finish/squared_rows.hpp"
#include "fit/eq4/space/penalty.hpp"
#include "optimise/algebra/level_columns.hpp"
#include "optimise/newton/damped_newton.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

class SquaredFit : public CurvedProblem {
 public:
  SquaredFit(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
             const FitOptions& options)
      : rows_(rows, space, options.loss),
        penalty_(penalty),
        logarithmic_(options.loss == Loss::rmsle) {}

  double cost(const VectorXd& scaled) const override {
    const double mean = rows_.mean_square(scaled);
    if (!std::isfinite(mean))
      return std::numeric_limits<double>::infinity();
    return (logarithmic_ ? std::sqrt(mean) : mean) + penalty_(scaled);
  }

  CostParabola quadratic(const VectorXd& scaled) const override {
    SquareSums sums = rows_.sums(scaled);
    CostParabola out{.gradient = std::move(sums.gradient),
                     .hessian = {},
                     .gauss_newton = std::move(sums.gauss_newton)};
    out.hessian = out.gauss_newton;
    out.hessian.add(-sums.factor, sums.bend);
    if (logarithmic_) {
      // The logarithm bends, too, and so does the root. What the root takes away couples all
      // levels; it vanishes at the optimum, and is left out where they are many.
      if (sums.of_logarithm.levels() == 0)
        out.hessian.core +=
            sums.of_logarithm.core - out.gradient * out.gradient.transpose() / sums.root;
      else
        out.hessian.add(1, sums.of_logarithm);
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
    return rows_.wake(scaled);
  }

 private:
  SquaredRows rows_;
  const Regulariser& penalty_;
  bool logarithmic_;

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
