#pragma once

#include <vector>

#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

// With what width a constant can be quoted: see Identifiability.
inline constexpr double kNormalQuantile = 1.959963984540054;  // of 97.5 %
inline constexpr double kWidestPower = 0.5;
inline constexpr double kWidestShareOfValue = 0.5;
inline constexpr double kWidestShareOfTime = 0.1;

/// What the training rows say about the constants of a fitted model: which can be quoted, and why
/// the others cannot.
struct Findings {
  Identifiability identifiability;
  std::vector<Warning> warnings;  ///< at_bound, flat_direction, negligible_term, undetermined
};

}  // namespace perfmodel
