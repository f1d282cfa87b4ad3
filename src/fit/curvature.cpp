#include "fit/curvature.hpp"

#include "fit/search_space.hpp"

namespace perfmodel {

using Eigen::VectorXd;

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
    case Loss::rmsle:
      break;
  }
  return {measured.array().square().inverse(), residual.cwiseQuotient(measured)};
}

Curvature robust_curvature(double softness, const VectorXd& measured, const VectorXd& predicted) {
  const VectorXd safe = predicted.cwiseMax(1e-6 * measured);
  const Eigen::ArrayXd residual = (measured.array() / safe.array()).log();
  const double s = softness;
  const Eigen::ArrayXd size = (residual.square() + s * s).sqrt();
  const double curvature = (s * s / size.cube()).mean();
  return {safe.array().square().inverse(), residual / size / curvature};
}

}  // namespace perfmodel
