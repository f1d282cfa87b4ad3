#pragma once

#include <Eigen/Core>

#include "fit/eq4/space/search_space.hpp"
#include "optimise/algebra/bounds.hpp"

namespace perfmodel {

/// Steps of scaled constants in their box, under a loss of absolute errors.
class ScaledSteps {
 public:
  explicit ScaledSteps(const SearchSpace& space)
      : box_(space.scaled()),
        constants_(box_.lower.size()),
        first_power_(static_cast<Eigen::Index>(space.layout().intrinsic_power(0))) {}

  /// The trust region around constants holds the powers; the model is linear in a and C. Only a
  /// squared penalty, which is curved in a, holds a too.
  optimise::Bounds around(const Eigen::VectorXd& at, double radius, bool holds_a) const;

  /// In the box. A step to a bound must arrive there: a coefficient whose term moves the cost by
  /// less than rounding is a 0 that rounding has missed. How much it moves depends on its column
  /// (`effects`): a coefficient of 1e-14 counts where I^p is 1e10.
  Eigen::VectorXd inside(const Eigen::VectorXd& scaled, const Eigen::VectorXd& effects,
                         double cost) const;

  /// How far a step moves the powers.
  double length(const Eigen::VectorXd& step) const;

 private:
  optimise::Bounds box_;
  Eigen::Index constants_;
  Eigen::Index first_power_;
};

}  // namespace perfmodel
