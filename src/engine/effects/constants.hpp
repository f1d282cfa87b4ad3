#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "forms/form.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// Whether a constant of a model is identifiable and can be quoted.
enum class ConstantStatus {
  unknown,       ///< the model has no information
  determined,    ///< identifiable from the training rows
  undetermined,  ///< not identifiable, see Identifiability
  at_bound       ///< the bound determines it, not the rows
};

/// "determined", "not determined", "at a bound"; empty if unknown.
constexpr auto texts_of(ConstantStatus) {
  using enum ConstantStatus;
  return std::to_array<EnumText<ConstantStatus>>({{unknown, ""},
                                                  {determined, "determined"},
                                                  {undetermined, "not determined"},
                                                  {at_bound, "at a bound"}});
}

/// A constant of a model with its uncertainty.
struct ConstantRow {
  std::string name;
  double value = 0;                  ///< in the units of the data
  std::optional<Interval> interval;  ///< from a bootstrap
  ConstantStatus status = ConstantStatus::unknown;
  ConstantRole role = ConstantRole::coefficient;
  std::size_t group = 0;   ///< index in Form::groups()
  std::string level = {};  ///< for the constant of a level
};

/// One row per constant, in the order of the model's.
std::vector<ConstantRow> constant_table(const FittedModel& model);

/// The scaling power of an extrinsic column with its uncertainty.
struct ScalingPower {
  std::string column;
  double power = 0;
  std::optional<Interval> interval;
  /// Unknown if columns are derived from the scale: the power is then not that constant alone.
  ConstantStatus status = ConstantStatus::unknown;
  NumericInput measured;
  bool derived = false;
};

/// One row per extrinsic column.
std::vector<ScalingPower> scaling_power_table(const FittedModel& model);

/// Difference between the constants of a level and of the first level of its column, for forms in
/// which only differences are identifiable.
struct LevelDifference {
  std::string column;
  ConstantRow difference;  ///< named "tanh - relu"
};

/// Column by column, without the first levels.
std::vector<LevelDifference> difference_table(const FittedModel& model);

}  // namespace perfmodel
