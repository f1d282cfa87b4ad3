#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// How simulated times scatter around the model's.
struct Noise {
  /// Standard deviation of ln(time): 0.05 is five percent. The model's time stays the median.
  double relative = 0;
  /// Standard deviation of what is added to the time, in its unit.
  double additive = 0;
};

/// One time per row: t exp(relative z1) + additive z2 with the model's t and standard normal z1, z2
/// of each row. Additive noise can make a time 0 or less.
Eigen::VectorXd simulate(const FittedModel& model, const Design& design, const Noise& noise,
                         std::uint64_t seed);

}  // namespace perfmodel
