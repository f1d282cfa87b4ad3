#pragma once

#include <Eigen/Core>

#include "fit/result/sum_estimate.hpp"
#include "model/form/multi_expression.hpp"

namespace perfmodel {

/// A C below this share of the typical time is none.
inline constexpr double kNoIntercept = 1e-9;

/// A sum of product terms as a search leaves it.
struct SumOfTerms {
  MultiStructure structure;
  Eigen::VectorXd constants;    ///< in the units of the data, in the order of MultiLayout
  std::size_t evaluations = 0;  ///< that it took to find them
  /// What the last step still promised, as a share of the cost.
  double gap = 0;
  SumEstimates estimates = {};
};

}  // namespace perfmodel
