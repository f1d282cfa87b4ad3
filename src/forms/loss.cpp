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
  static const std::array all = {LossFacts{.loss = Loss::mae,
                                           .name = "mae",
                                           .of = time,
                                           .shape = absolute,
                                           .count = absolute_values,
                                           .bend = bend_of_absolute_values},
                                 LossFacts{.loss = Loss::mape,
                                           .name = "mape",
                                           .of = relative,
                                           .shape = absolute,
                                           .count = absolute_values,
                                           .bend = bend_of_absolute_values},
                                 LossFacts{.loss = Loss::mse,
                                           .name = "mse",
                                           .of = time,
                                           .shape = squared,
                                           .count = squares,
                                           .bend = bend_of_squares},
                                 LossFacts{.loss = Loss::rmsle,
                                           .name = "rmsle",
                                           .of = logarithm,
                                           .shape = squared,
                                           .count = squares,
                                           .bend = bend_of_squares,
                                           .is_root = true},
                                 LossFacts{.loss = Loss::soft_l1,
                                           .name = "soft-l1",
                                           .of = logarithm,
                                           .shape = smooth,
                                           .count = rounded_values,
                                           .bend = bend_of_rounded_values,
                                           .of_sums = true,
                                           .searched_as = Loss::rmsle}};
  return all;
}

const LossFacts& facts_of(Loss loss) {
  const auto all = all_losses();
  return *std::find_if(all.begin(), all.end(),
                       [&](const LossFacts& facts) { return facts.loss == loss; });
}

std::string_view to_text(Loss loss) {
  return facts_of(loss).name;
}

}  // namespace perfmodel
