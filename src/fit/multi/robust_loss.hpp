#pragma once

#include "fit/loss_value.hpp"
#include "fit/multi/sum_fit.hpp"

namespace perfmodel {

/// What a search minimises, whatever the loss that was asked for: soft_l1 with a ridge.
inline SumLoss robust_loss(const TermData& data, const SumShape& shape, double ridge_strength) {
  return {.residual = Residual::logarithmic,
          .softness = kSoftness,
          .weights = Eigen::VectorXd::Constant(data.rows(), 1 / static_cast<double>(data.rows())),
          .penalties = ridge(shape, ridge_strength)};
}

}  // namespace perfmodel
