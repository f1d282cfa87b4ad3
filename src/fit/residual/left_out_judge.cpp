#include "fit/residual/left_out_judge.hpp"

#include <cmath>

namespace perfmodel {
namespace {

using Eigen::ArrayXd;
using Eigen::VectorXd;

/// Beyond it, one run would count for hundreds.
constexpr double kLargestLogError = 3;
constexpr double kStandardErrors = 2;

ArrayXd either_way(const VectorXd& errors) {
  const ArrayXd logs = errors.array().max(-kLargestLogError).min(kLargestLogError);
  return logs.abs().max((-logs).exp() - 1);
}

}  // namespace

double mean_either_way(const VectorXd& errors) {
  return errors.size() > 0 ? either_way(errors).mean() : 0;
}

bool clearly_smaller(const VectorXd& errors, const VectorXd& others) {
  if (errors.size() != others.size() || errors.size() < 2)
    return false;
  const ArrayXd gain = either_way(others) - either_way(errors);
  const auto count = static_cast<double>(gain.size());
  const double variance = (gain - gain.mean()).square().sum() / (count - 1);
  return gain.mean() > kStandardErrors * std::sqrt(variance / count);
}

}  // namespace perfmodel
