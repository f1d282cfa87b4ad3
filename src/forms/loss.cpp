#include "forms/loss.hpp"

#include <algorithm>
#include <array>

namespace perfmodel {
namespace {

using Eigen::ArrayXd;

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
                true, Loss::rmsle}};
  return all;
}

const LossFacts& facts_of(Loss loss) {
  const auto all = all_losses();
  return *std::find_if(all.begin(), all.end(),
                       [&](const LossFacts& facts) { return facts.loss == loss; });
}

SignedLoss::SignedLoss(const FitOptions& options) : loss(options.loss) {
  if (options.quantile && facts_of(loss).shape == ErrorShape::absolute)
    tilt = 2 * *options.quantile - 1;
}

}  // namespace perfmodel
