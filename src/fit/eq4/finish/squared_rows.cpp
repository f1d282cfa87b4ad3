#include "fit/eq4/finish/squared_rows.hpp"

#include <algorithm>
#include <cmath>

#include "fit/eq4/finish/idle_terms.hpp"

namespace perfmodel {

using Eigen::VectorXd;

SquaredRows::SquaredRows(const WeightedRows& rows, const SearchSpace& space, Loss loss)
    : rows_(rows),
      training_(rows.design()),
      space_(space),
      logarithmic_(loss == Loss::rmsle),
      model_(training_, space) {}

VectorXd SquaredRows::residuals(const VectorXd& predicted) const {
  if (!logarithmic_)
    return training_.time - predicted;
  return training_.time.array().log() - predicted.array().log();
}

VectorXd SquaredRows::weighted(const VectorXd& residual) const {
  return rows_.weights().size() > 0 ? VectorXd(rows_.weights().cwiseProduct(residual)) : residual;
}

double SquaredRows::square_sum_of(const VectorXd& residual) const {
  const double sum =
      rows_.weights().size() > 0 ? residual.dot(weighted(residual)) : residual.squaredNorm();
  return sum + rows_.scatter();
}

double SquaredRows::mean_square(const VectorXd& scaled) const {
  return square_sum_of(residuals(model_.predict(scaled))) / rows_.total_weight();
}

SquareSums SquaredRows::sums(const VectorXd& scaled) const {
  optimise::LevelMatrix jacobian;
  const VectorXd predicted = model_.linearise(scaled, jacobian);
  const VectorXd residual = residuals(predicted);
  SquareSums out;
  out.factor = 2 / rows_.total_weight();
  if (logarithmic_) {
    // d sqrt(m) = dm / (2 sqrt(m))
    out.root = std::max(1e-300, std::sqrt(square_sum_of(residual) / rows_.total_weight()));
    out.factor /= 2 * out.root;
  }
  add_derivatives(predicted, residual, jacobian, out);
  return out;
}

void SquaredRows::add_derivatives(const VectorXd& predicted, const VectorXd& residual,
                                  optimise::LevelMatrix& jacobian, SquareSums& out) const {
  const VectorXd pull = weighted(residual);
  out.bend =
      model_.curvature(jacobian, logarithmic_ ? VectorXd(pull.cwiseQuotient(predicted)) : pull);
  if (logarithmic_) {
    jacobian.others.array().colwise() /= predicted.array();
    if (!jacobian.levels.empty())
      jacobian.levels.value.array() /= predicted.array();
  }
  out.gradient = optimise::scaled_transposed_product(-out.factor, jacobian, pull);
  out.gauss_newton = gram(out.factor, jacobian, rows_.weights());
  if (!logarithmic_)
    return;
  if (jacobian.levels.empty())
    out.of_logarithm = dense_arrow(
        out.factor * (jacobian.others.transpose() * pull.asDiagonal() * jacobian.others));
  else
    out.of_logarithm = gram(out.factor, jacobian, pull);
}

std::optional<VectorXd> SquaredRows::wake(const VectorXd& scaled) const {
  const VectorXd predicted = model_.predict(scaled);
  VectorXd pull = -weighted(residuals(predicted));  // d cost / d prediction, up to a factor
  if (logarithmic_)
    pull.array() /= predicted.array();
  return wake_idle_terms(training_, space_, scaled, pull);
}

}  // namespace perfmodel
