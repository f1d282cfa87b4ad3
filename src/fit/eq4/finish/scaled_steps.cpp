#include "fit/eq4/finish/scaled_steps.hpp"

#include <limits>

namespace perfmodel {

using Eigen::Index;
using Eigen::VectorXd;

optimise::Bounds ScaledSteps::around(const VectorXd& at, double radius, bool holds_a) const {
  VectorXd reach = VectorXd::Constant(constants_, radius);
  if (holds_a) {
    reach.head(first_power_) =
        radius * at.head(first_power_).cwiseAbs().cwiseMax(0.05 * box_.upper.head(first_power_));
  } else {
    reach.head(first_power_).setConstant(std::numeric_limits<double>::infinity());
  }
  reach[constants_ - 1] = std::numeric_limits<double>::infinity();
  return {(box_.lower - at).cwiseMax(-reach).cwiseMin(0),
          (box_.upper - at).cwiseMin(reach).cwiseMax(0)};
}

VectorXd ScaledSteps::inside(const VectorXd& scaled, const VectorXd& effects, double cost) const {
  constexpr double rounding = 1e-13;
  VectorXd out = scaled.cwiseMax(box_.lower).cwiseMin(box_.upper);
  for (Index k = 0; k < out.size(); ++k) {
    const bool power = k >= first_power_ && k < constants_ - 1;
    const double above = out[k] - box_.lower[k];
    if (power ? above < rounding * (box_.upper[k] - box_.lower[k])
              : above * effects[k] < rounding * cost)
      out[k] = box_.lower[k];
  }
  return out;
}

double ScaledSteps::length(const VectorXd& step) const {
  const Index powers = constants_ - 1 - first_power_;
  return powers == 0 ? 0 : step.segment(first_power_, powers).cwiseAbs().maxCoeff();
}

}  // namespace perfmodel
