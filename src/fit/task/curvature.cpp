#include "fit/task/curvature.hpp"

#include "data/median.hpp"
#include "fit/task/loss_value.hpp"

namespace perfmodel {

using Eigen::VectorXd;

namespace {

/// Of the loss sqrt(u^2 + s^2) of u = ln(measured / predicted).
Curvature soft_curvature(const VectorXd& measured, const VectorXd& predicted) {
  const VectorXd safe = predicted.cwiseMax(1e-6 * measured);
  const Eigen::ArrayXd residual = (measured.array() / safe.array()).log();
  const double s = kSoftness;
  const Eigen::ArrayXd size = (residual.square() + s * s).sqrt();
  const double curvature = (s * s / size.cube()).mean();
  return {safe.array().square().inverse(), residual / size / curvature};
}

}  // namespace

Curvature curvature_of(Loss loss, const VectorXd& measured, const VectorXd& predicted) {
  const VectorXd safe = predicted.cwiseMax(1e-6 * measured);
  const VectorXd residual = measured - predicted;
  const double sparsity = 2 * median(residual.cwiseQuotient(safe).cwiseAbs());
  switch (loss) {
    case Loss::mae:
      return {safe.cwiseInverse(), sparsity * safe.cwiseSqrt()};
    case Loss::mape:
      return {measured.array().square().inverse(), VectorXd::Constant(measured.size(), sparsity)};
    case Loss::mse:
      return {VectorXd::Ones(measured.size()), residual};
    case Loss::soft_l1:
      return soft_curvature(measured, predicted);
    case Loss::rmsle:
      break;
  }
  return {measured.array().square().inverse(), residual.cwiseQuotient(measured)};
}

}  // namespace perfmodel
