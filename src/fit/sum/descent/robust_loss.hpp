#pragma once

#include "fit/sum/descent/sum_fit.hpp"
#include "fit/task/loss_value.hpp"

namespace perfmodel {

/// What a search minimises, whatever the loss that was asked for: soft_l1 with a ridge.
inline SumLoss robust_loss(const TermData& data, const SumShape& shape, double ridge_strength) {
  return {.residual = ErrorScale::logarithmic,
          .softness = kSoftness,
          .weights = Eigen::VectorXd::Constant(data.rows(), 1 / static_cast<double>(data.rows())),
          .penalties = ridge(shape, ridge_strength)};
}

}  // namespace perfmodel
