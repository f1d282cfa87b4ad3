#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// What doubling a scale does to the time: t(2x) / t(x) at one configuration, the process
/// of a model included, columns that are tied to the scale or derived from it moving along.
struct Doubling {
  std::string column;
  double from = 0;
  double to = 0;
  double ratio = 1;      ///< of the predicted times
  bool measured = true;  ///< both lie within the measured range of the column
};

/// One per extrinsic column that is not derived: from the value x that the configuration has to 2
/// x, or from x / 2 to x where only that lies within the measured range, of whole numbers only
/// where x is even. Without those of which the model gives no time.
std::vector<Doubling> doublings_of(const FittedModel& model, const Configuration& at);

/// Where a model's answers are given, and what that is called.
struct Centre {
  Configuration configuration;
  std::string place;  ///< "the run of line 212"
};

/// The central run, or what older files have in its place; nothing where they have nothing.
std::optional<Centre> centre_of(const FittedModel& model);

}  // namespace perfmodel
