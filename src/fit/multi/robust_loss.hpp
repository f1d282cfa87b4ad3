#pragma once

#include "fit/multi/sum_fit.hpp"

namespace perfmodel {

/// Residuals of ln(time) beyond this count by their size, not its square.
inline constexpr double kRobustSoftness = 0.1;

/// What a search minimises: the same for every loss that the user may have asked for.
inline SumLoss robust_loss(const TermData& data, const SumShape& shape, double ridge_strength) {
  return {.residual = Residual::logarithmic,
          .softness = kRobustSoftness,
          .weights = Eigen::VectorXd::Constant(data.rows(), 1 / static_cast<double>(data.rows())),
          .penalties = ridge(shape, ridge_strength)};
}

}  // namespace perfmodel
