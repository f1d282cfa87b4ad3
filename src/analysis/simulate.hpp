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
  /// Of a model with a residual process: times of one law that the runs allow, in place of the most
  /// likely one. The same configuration has the same.
  bool draw = false;
};

/// One time per row: t exp(relative z1) + additive z2 with the model's t and standard normal z1, z2
/// of each row. Additive noise can make a time 0 or less.
///
/// Throws UsageError for a draw where there is no process, or too many configurations to look at
/// all pairs of them.
Eigen::VectorXd simulate(const FittedModel& model, const Design& design, const Noise& noise,
                         std::uint64_t seed);

}  // namespace perfmodel
