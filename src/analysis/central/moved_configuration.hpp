#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// The value of an input as people read it: all digits of short ones, four of others.
std::string setting_text(double value);

/// The predicted time of a configuration; nothing where the model gives no time.
std::optional<double> time_of(const FittedModel& model, const Configuration& configuration);

/// A configuration that is moved along one extrinsic column, and what is tied to it or derived from
/// it along with it.
class MovedConfiguration {
 public:
  MovedConfiguration(const FittedModel& model, const Configuration& typical, std::size_t extrinsic)
      : model_(model), typical_(typical), extrinsic_(extrinsic) {}

  /// Whether other columns move along.
  bool moves_others() const;
  /// Nothing where a derived column cannot be computed or is no input there.
  std::optional<Configuration> at(double scale) const;
  std::optional<double> time_at(double scale) const;

 private:
  const FittedModel& model_;
  const Configuration& typical_;
  std::size_t extrinsic_;
};

}  // namespace perfmodel
