#pragma once

#include <cmath>

namespace perfmodel {

/// Of what is predicted: runs that are off by less are no outliers, however near the others are.
constexpr double kLeastShareOff = 0.01;

inline bool is_far_off(double measured, double predicted) {
  return !(std::abs(measured - predicted) < kLeastShareOff * predicted);
}

}  // namespace perfmodel
