#include "fit/eq4/finish/squared_rows.hpp"

#include <algorithm>
#include <cmath>

namespace perfmodel {

using Eigen::VectorXd;

SquaredRowsHere::SquaredRowsHere(const WeightedRows& rows, const SearchSpace& space, Loss loss)
    : rows_(rows),
      training_(rows.design()),
      space_(space),
      logarithmic_(loss == Loss::rmsle),
      model_(training_, space) {}

VectorXd SquaredRowsHere::residuals(const VectorXd& predicted) const {
  if (!logarithmic_)
    return training_.time - predicted;
  return training_.time.array().log() - predicted.array().log();
}

VectorXd SquaredRowsHere::weighted(const VectorXd& residual) const {
  return rows_.weights().size() > 0 ? VectorXd(rows_.weights().cwiseProduct(residual)) : residual;
}

double SquaredRowsHere::square_sum_of(const VectorXd& residual) const {
  const double sum =
      rows_.weights().size() > 0 ? residual.dot(weighted(residual)) : residual.squaredNorm();
  return sum + rows_.scatter();
}

double SquaredRowsHere::square_sum(const VectorXd& scaled) const {
  return square_sum_of(residuals(model_.predict(scaled)));
}

double SquaredRowsHere::mean_square(const VectorXd& scaled) const {
  return square_sum(scaled) / rows_.total_weight();
}

void set_factor(bool logarithmic, double mean_square, double total_weight, SquareSums& out) {
  out.factor = 2 / total_weight;
  if (!logarithmic)
    return;
  // d sqrt(m) = dm / (2 sqrt(m))
  out.root = std::max(1e-300, std::sqrt(mean_square));
  out.factor /= 2 * out.root;
}

SquareSums SquaredRowsHere::sums(const VectorXd& scaled) const {
  optimise::LevelMatrix jacobian;
  const VectorXd predicted = model_.linearise(scaled, jacobian);
  const VectorXd residual = residuals(predicted);
  SquareSums out;
  set_factor(logarithmic_, square_sum_of(residual) / rows_.total_weight(), rows_.total_weight(),
             out);
  add_derivatives(predicted, residual, jacobian, out);
  return out;
}

SquareSums SquaredRowsHere::sums(const VectorXd& scaled, double factor) const {
  optimise::LevelMatrix jacobian;
  const VectorXd predicted = model_.linearise(scaled, jacobian);
  SquareSums out;
  out.factor = factor;
  add_derivatives(predicted, residuals(predicted), jacobian, out);
  return out;
}

void SquaredRowsHere::add_derivatives(const VectorXd& predicted, const VectorXd& residual,
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

IdleSlopes SquaredRowsHere::idle_slopes(const VectorXd& scaled) const {
  const VectorXd predicted = model_.predict(scaled);
  VectorXd pull = -weighted(residuals(predicted));  // d cost / d prediction, up to a factor
  if (logarithmic_)
    pull.array() /= predicted.array();
  return perfmodel::idle_slopes(training_, space_, scaled, pull);
}

}  // namespace perfmodel
