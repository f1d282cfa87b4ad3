#pragma once

#include <string>
#include <vector>

#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel::page {

/// What one input does to the time of a configuration, all others held.
struct Effect {
  std::string column;
  std::string fast;  ///< its setting of the shorter time: a value, or a level
  std::string slow;
  double fast_time = 0;  ///< predicted
  double slow_time = 0;
  double ratio() const { return slow_time / fast_time; }
};

/// One per input, the strongest first: of numbers the ends of their measured ranges are compared,
/// of categories the fastest and the slowest level. Columns that are derived from a scale are
/// computed anew, those tied to it move along. Left out are other inputs that columns are derived
/// from or that are tied to a scale, since they cannot be changed alone, and those that the model
/// gives no time for.
std::vector<Effect> effects_of(const FittedModel& model, const Configuration& typical);

}  // namespace perfmodel::page
