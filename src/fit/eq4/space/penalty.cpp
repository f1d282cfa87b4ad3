#include "fit/eq4/space/penalty.hpp"

#include <cmath>

#include "base/index.hpp"
#include "data/median.hpp"
#include "fit/eq4/space/many_levels.hpp"
#include "fit/task/loss_value.hpp"

namespace perfmodel {

using Eigen::Index;
using Eigen::VectorXd;

Regulariser::Regulariser(const SearchSpace& space, const WeightedRows& training,
                         const FitOptions& options)
    : layout_(space.layout()),
      l1_(options.penalty.l1),
      l2_(options.penalty.l2),
      intrinsic_shift_(space.intrinsic_log_centres()),
      extrinsic_shift_(space.extrinsic_log_centres()) {
  if (const auto many = column_of_many_levels(training.design())) {
    first_level_ = layout_.level(*many, 0);
    levels_ = training.design().categorical[*many].levels;
  }
  if (options.penalty.constants == Penalise::raw || !active())
    return;
  unit_ = median(training.measured().time, training.measured().runs);
  l1_ *= loss_of_time(options.loss, unit_);
  l2_ *= loss_of_time(options.loss, unit_);
  for (std::size_t i = 0; i < intrinsic_shift_.size(); ++i)
    intrinsic_shift_[i] -= log_geometric_mean(training.design().intrinsic[i], training);
  for (std::size_t j = 0; j < extrinsic_shift_.size(); ++j)
    extrinsic_shift_[j] -= log_geometric_mean(training.design().extrinsic[j], training);
}

double Regulariser::factor(std::size_t coefficient, const VectorXd& scaled) const {
  const auto at = [&](std::size_t index) { return scaled[static_cast<Index>(index)]; };
  double log_factor = 0;
  if (layout_.kind(coefficient) == ConstantKind::coefficient)
    log_factor -= at(layout_.intrinsic_power(coefficient)) * intrinsic_shift_[coefficient];
  for (std::size_t j = 0; j < extrinsic_shift_.size(); ++j)
    log_factor -= at(layout_.extrinsic_power(j)) * extrinsic_shift_[j];
  return std::exp(log_factor) / unit_;
}

double Regulariser::operator()(const VectorXd& scaled) const {
  if (!active())
    return 0;
  VectorXd penalised = scaled.head(scaled.size() - 1);
  for (std::size_t k = 0; k < layout_.intrinsic_power(0); ++k)
    penalised[static_cast<Index>(k)] *= factor(k, scaled);
  double sum = 0;
  if (l1_ > 0)
    sum += l1_ * penalised.lpNorm<1>();
  if (l2_ > 0)
    sum += l2_ * penalised.squaredNorm();
  return sum;
}

PenalisedConstants Regulariser::linearise(const VectorXd& scaled) const {
  const Index penalised = scaled.size() - 1;
  PenalisedConstants out{.values = scaled.head(penalised), .gradients = {}};
  optimise::LevelColumns& levels = out.gradients.levels;
  levels.first = index(first_level_);
  levels.count = index(levels_);
  levels.of_row.assign(static_cast<std::size_t>(penalised), optimise::LevelColumns::none);
  levels.value = VectorXd::Zero(penalised);
  out.gradients.others.setZero(penalised, scaled.size() - levels.count);
  const auto put = [&](Index k, Index constant, double derivative) {
    if (levels.holds(constant)) {
      levels.of_row[static_cast<std::size_t>(k)] = constant - levels.first;
      levels.value[k] = derivative;
    } else {
      out.gradients.others(k, levels.other(constant)) = derivative;
    }
  };
  for (Index k = 0; k < penalised; ++k) {
    const std::size_t constant = static_cast<std::size_t>(k);
    const ConstantKind kind = layout_.kind(constant);
    if (kind == ConstantKind::intrinsic_power || kind == ConstantKind::extrinsic_power) {
      put(k, k, 1);
      continue;
    }
    // x = a * exp(-p shift - sum_j q_j shift_j) / unit
    const double own = factor(constant, scaled);
    put(k, k, own);
    out.values[k] *= own;
    if (kind == ConstantKind::coefficient)
      put(k, index(layout_.intrinsic_power(constant)), -intrinsic_shift_[constant] * out.values[k]);
    for (std::size_t j = 0; j < extrinsic_shift_.size(); ++j)
      put(k, index(layout_.extrinsic_power(j)), -extrinsic_shift_[j] * out.values[k]);
  }
  return out;
}

}  // namespace perfmodel
