#include "fit/multi/sum_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "fit/multi/normal_matrix.hpp"

namespace perfmodel {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A term's logarithm beyond this is as good as infinite, but keeps the arithmetic finite.
constexpr double kLargestLog = 60;
constexpr double kFirstDamping = 1e-2;
constexpr double kLeastDamping = 1e-9;
constexpr double kMostDamping = 1e8;

VectorXd residuals(const TermData& data, const SumLoss& loss, const VectorXd& total) {
  if (loss.residual == Residual::linear)
    return data.time - total;
  return data.time.array().log() - total.array().max(1e-300).log();
}

double cost_at(const TermData& data, const SumLoss& loss, const VectorXd& theta,
               const SumParts& parts) {
  const ArrayXd residual = residuals(data, loss, parts.total).array();
  const double s = loss.softness;
  double cost = loss.squared()
                    ? loss.weights.dot(residual.square().matrix())
                    : loss.weights.dot(((residual.square() + s * s).sqrt() - s).matrix());
  return cost + loss.penalties.dot(theta.cwiseAbs2());
}

/// cost + g'd + d'Hd/2 near a point, with rho replaced by the parabola that touches it from above;
/// of the Hessian the lower half counts.
struct Quadratic {
  VectorXd gradient;
  MatrixXd hessian;
};

Quadratic quadratic_at(const TermData& data, const SumShape& shape, const SumLoss& loss,
                       const VectorXd& theta, const SumParts& parts,
                       const NormalMatrix& normal_matrix) {
  const ArrayXd residual = residuals(data, loss, parts.total).array();
  const double s = loss.softness;
  ArrayXd weights = loss.weights.array();  // rho'(x) / x
  if (loss.squared())
    weights *= 2;
  else
    weights /= (residual.square() + s * s).sqrt();
  ArrayXd slope = ArrayXd::Ones(data.rows());  // of what the residual is taken of, by the total
  if (loss.residual == Residual::logarithmic)
    slope /= parts.total.array().max(1e-300);
  const ArrayXd pull = weights * slope * residual;
  const ArrayXd curvature = weights * slope.square();

  const Index size = shape.terms * shape.features();
  const auto features = data.features.leftCols(shape.features());
  Quadratic out{VectorXd(theta.size()), MatrixXd(theta.size(), theta.size())};
  out.hessian.topLeftCorner(size, size) = normal_matrix(parts.terms, curvature);
  const MatrixXd slopes = features.transpose() * (parts.terms.array().colwise() * pull).matrix();
  out.gradient.head(size) = -slopes.reshaped();
  if (shape.intercept) {
    const double c = std::exp(theta[size]);
    const MatrixXd mixed =
        features.transpose() * (parts.terms.array().colwise() * (c * curvature)).matrix();
    out.hessian.row(size).head(size) = mixed.reshaped().transpose();
    out.hessian(size, size) = c * c * curvature.sum();
    out.gradient[size] = -c * pull.sum();
  }
  out.gradient += 2 * loss.penalties.cwiseProduct(theta);
  out.hessian.diagonal() += 2 * loss.penalties;
  return out;
}

void hold(const std::vector<bool>& held, Quadratic& model) {
  for (std::size_t h = 0; h < held.size(); ++h) {
    if (!held[h])
      continue;
    const Index j = static_cast<Index>(h);
    model.gradient[j] = 0;
    model.hessian.row(j).setZero();
    model.hessian.col(j).setZero();
    model.hessian(j, j) = 1;
  }
}

}  // namespace

VectorXd ridge(const SumShape& shape, double strength) {
  VectorXd out = VectorXd::Constant(shape.size(), strength);
  for (Index k = 0; k < shape.terms; ++k)
    out[k * shape.features()] = 0;
  if (shape.intercept)
    out[out.size() - 1] = 0;
  return out;
}

SumParts evaluate_sum(const TermData& data, const SumShape& shape, const VectorXd& theta) {
  SumParts out{MatrixXd(data.rows(), shape.terms), VectorXd::Zero(data.rows())};
  for (Index k = 0; k < shape.terms; ++k) {
    VectorXd exponent = data.features.leftCols(shape.features()) *
                        theta.segment(k * shape.features(), shape.features());
    for (std::size_t j = 0; j < shape.log_powers[static_cast<std::size_t>(k)].size(); ++j) {
      const int r = shape.log_powers[static_cast<std::size_t>(k)][j];
      if (r != 0)
        exponent += r * data.log_logs.col(static_cast<Index>(j));
    }
    out.terms.col(k) = exponent.array().min(kLargestLog).exp();
    out.total += out.terms.col(k);
  }
  if (shape.intercept)
    out.total.array() += std::exp(std::min(theta[theta.size() - 1], kLargestLog));
  return out;
}

double cost_of_sum(const TermData& data, const SumShape& shape, const SumLoss& loss,
                   const VectorXd& theta) {
  return cost_at(data, loss, theta, evaluate_sum(data, shape, theta));
}

SumFit descend(const TermData& data, const SumShape& shape, const SumLoss& loss,
               const VectorXd& start, const DescentOptions& options) {
  SumFit out;
  out.theta = start;
  SumParts parts = evaluate_sum(data, shape, start);
  out.cost = cost_at(data, loss, start, parts);
  out.evaluations = 1;
  const NormalMatrix normal_matrix(data.features.leftCols(shape.features()), options.instructions);
  Quadratic model = quadratic_at(data, shape, loss, start, parts, normal_matrix);
  hold(options.held, model);
  double damping = kFirstDamping;
  for (std::size_t i = 0; i < options.iterations && damping < kMostDamping; ++i) {
    if (options.stop.stop_requested())
      break;
    MatrixXd damped = model.hessian;
    const double least = 1e-12 * (1e-300 + model.hessian.diagonal().maxCoeff());
    damped.diagonal().array() += damping * model.hessian.diagonal().array().max(least);
    const VectorXd step = damped.selfadjointView<Eigen::Lower>().llt().solve(-model.gradient);
    const double gain = -(model.gradient.dot(step) +
                          0.5 * step.dot(model.hessian.selfadjointView<Eigen::Lower>() * step));
    out.gap = std::abs(gain) / std::max(out.cost, 1e-300);
    if (!std::isfinite(gain)) {
      damping *= 10;
      continue;
    }
    const VectorXd trial = out.theta + step;
    SumParts trial_parts = evaluate_sum(data, shape, trial);
    const double trial_cost = cost_at(data, loss, trial, trial_parts);
    ++out.evaluations;
    if (!(trial_cost < out.cost)) {
      if (out.gap < options.tolerance)
        break;
      damping *= 4;
      continue;
    }
    const double ratio = (out.cost - trial_cost) / std::max(gain, 1e-300);
    damping = std::max(kLeastDamping, damping * (ratio > 0.75 ? 0.2 : ratio > 0.25 ? 0.7 : 2.0));
    out.theta = trial;
    out.cost = trial_cost;
    parts = std::move(trial_parts);
    if (out.gap < options.tolerance)
      break;
    model = quadratic_at(data, shape, loss, out.theta, parts, normal_matrix);
    hold(options.held, model);
  }
  return out;
}

}  // namespace perfmodel
