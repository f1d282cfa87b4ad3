#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forms/form.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// Whether a constant of a model can be quoted.
enum class ConstantStatus {
  unknown,       ///< the model does not say
  determined,    ///< by the training rows
  undetermined,  ///< by these rows; see Identifiability
  at_bound       ///< the bound decides, not the rows
};

/// "determined", "not determined", "at a bound"; empty where it is not known.
std::string_view to_text(ConstantStatus status);

/// What a model knows of a constant.
struct ConstantRow {
  std::string name;
  double value = 0;                  ///< in the units of the data
  std::optional<Interval> interval;  ///< of a bootstrap
  ConstantStatus status = ConstantStatus::unknown;
  ConstantRole role = ConstantRole::coefficient;
  std::size_t group = 0;   ///< of Form::groups()
  std::string level = {};  ///< of a level's constant
};

/// One per constant, in the order of the model's.
std::vector<ConstantRow> constant_table(const FittedModel& model);

/// What a model knows of how the time answers to an extrinsic column.
struct ScalingPower {
  std::string column;
  double power = 0;
  std::optional<Interval> interval;
  /// Unknown where derived columns add to a power that is a constant: it is more than that.
  ConstantStatus status = ConstantStatus::unknown;
  NumericInput measured;
  bool derived = false;
};

/// One per extrinsic column.
std::vector<ScalingPower> scaling_power_table(const FittedModel& model);

/// How a level differs from the first one of its column, where the runs can tell no more of it.
struct LevelDifference {
  std::string column;
  ConstantRow difference;  ///< named "tanh - relu"
};

/// Column by column, without the first levels.
std::vector<LevelDifference> difference_table(const FittedModel& model);

// Figures as sentences, the same in every output.

/// Of the ratio of a later time to an earlier one: "1.31 times slower", "2 times faster", "as
/// fast".
std::string change_in_words(double ratio);

/// A level as it is, a number shortened.
std::string value_text(const InputValue& value);

/// " (1.2 .. 1.4)", the interval as change_in_words() has its ratio; empty where none is known.
std::string interval_in_words(const Effect& effect);

/// "1 -> 2: 1.31 times slower (1.2 .. 1.4)", with what is to be doubted about it behind.
std::string effect_in_words(const Effect& effect);

/// Where the formula and the predictions name opposite directions: "gpus 64 -> 128: the formula
/// alone says 1.12 times faster, which the residual process outweighs"; else empty.
std::string contradiction_of(const FittedModel& model, const Configuration& at,
                             const Effect& effect);

/// "model 22.0 %, noise floor 9.0 % from 124 replicated rows: the shape limits it";
/// empty where no configuration was run twice.
std::string noise_floor_in_words(double mape_percent, const std::optional<NoiseFloor>& floor);

}  // namespace perfmodel
