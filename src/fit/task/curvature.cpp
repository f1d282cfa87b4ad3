#include "fit/task/curvature.hpp"

#include <cmath>
#include <cstdint>
#include <span>

#include "base/index.hpp"
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

VectorXd safe_prediction(const VectorXd& measured, const VectorXd& predicted) {
  return predicted.cwiseMax(1e-6 * measured);
}

/// Rows count `runs` times in the median, once where that is empty.
double sparsity_of_rows(const VectorXd& measured, const VectorXd& predicted,
                        std::span<const std::uint64_t> runs) {
  const VectorXd safe = safe_prediction(measured, predicted);
  return 2 * median((measured - predicted).cwiseQuotient(safe).cwiseAbs(), runs);
}

Curvature curvature_of_rows(Loss loss, const VectorXd& measured, const VectorXd& predicted,
                            double sparsity) {
  const VectorXd safe = safe_prediction(measured, predicted);
  const VectorXd residual = measured - predicted;
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

}  // namespace

Curvature curvature_of(Loss loss, const VectorXd& measured, const VectorXd& predicted) {
  return curvature_of_rows(loss, measured, predicted, sparsity_of_rows(measured, predicted, {}));
}

Curvature curvature_of(Loss loss, const Design& runs, const VectorXd& predicted) {
  Curvature out = curvature_of_rows(loss, runs.time, predicted,
                                    sparsity_of_rows(runs.time, predicted, runs.runs));
  for (std::size_t row = 0; row < runs.runs.size(); ++row)
    out.weights[index(row)] *= static_cast<double>(runs.runs[row]);
  return out;
}

}  // namespace perfmodel
