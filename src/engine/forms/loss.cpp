#include "forms/loss.hpp"

#include <algorithm>

namespace perfmodel {
namespace {

ArrayXd absolute_values(const ArrayXd& e) {
  return e.abs();
}

Bend bend_of_absolute_values(const ArrayXd& e) {
  return {e.sign(), ArrayXd::Zero(e.size())};
}

ArrayXd squares(const ArrayXd& e) {
  return e.square();
}

Bend bend_of_squares(const ArrayXd& e) {
  return {2 * e, ArrayXd::Constant(e.size(), 2)};
}

ArrayXd rounded_values(const ArrayXd& e) {
  return (e.square() + kSoftness * kSoftness).sqrt() - kSoftness;
}

Bend bend_of_rounded_values(const ArrayXd& e) {
  const ArrayXd size = (e.square() + kSoftness * kSoftness).sqrt();
  return {e / size, kSoftness * kSoftness / size.cube()};
}

/// Half-width of the quadratic part of Huber's function, as Hoffmann et al. 2022 fit scaling laws.
constexpr double kHuberWidth = 1e-3;

ArrayXd huber_values(const ArrayXd& e) {
  const ArrayXd size = e.abs();
  return (size <= kHuberWidth).select(0.5 * e.square(), kHuberWidth * (size - 0.5 * kHuberWidth));
}

/// Beyond the quadratic part, the curvature is that of the parabola that touches the function from
/// above: the second derivative 0 would make no steps.
Bend bend_of_huber_values(const ArrayXd& e) {
  const ArrayXd weight = kHuberWidth / e.abs().max(kHuberWidth);
  return {e * weight, weight};
}

}  // namespace

std::span<const LossFacts> all_losses() {
  using enum ErrorOf;
  using enum ErrorShape;
  static const std::array all = {
      LossFacts{Loss::mae, time, absolute, absolute_values, bend_of_absolute_values},
      LossFacts{Loss::mape, relative, absolute, absolute_values, bend_of_absolute_values},
      LossFacts{Loss::mse, time, squared, squares, bend_of_squares},
      LossFacts{Loss::rmsle, logarithm, squared, squares, bend_of_squares, true},
      LossFacts{Loss::soft_l1, logarithm, smooth, rounded_values, bend_of_rounded_values, false,
                true, Loss::rmsle},
      LossFacts{Loss::huber, logarithm, smooth, huber_values, bend_of_huber_values, false, false,
                Loss::rmsle}};
  return all;
}

const LossFacts& facts_of(Loss loss) {
  const auto all = all_losses();
  return *std::ranges::find(all, loss, &LossFacts::loss);
}

SignedLoss::SignedLoss(const FitOptions& options) : loss(options.loss) {
  if (options.quantile && facts_of(loss).shape == ErrorShape::absolute)
    tilt = 2 * *options.quantile - 1;
}

}  // namespace perfmodel
