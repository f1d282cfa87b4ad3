#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "perfmodel/columns.hpp"

namespace perfmodel {

/// How a column that contains 0 enters a product of powers, where a factor of 0 would be useless.
struct ZeroValue {
  double unit = 1;     ///< the smallest value above 0
  bool apart = false;  ///< true: 0 has a factor of its own; false: x enters as 1 + x / unit
};

/// A numeric input of the model and its range in the training rows.
struct NumericInput {
  std::string column;
  double low = 0;
  double high = 0;
  std::optional<ZeroValue> zero = {};  ///< nullopt: all values are > 0
  std::string unit = {};               ///< "s", "B" or "%" if the cells of the runs have units

  /// The base of the power for this value, which is > 0 also for 0.
  double counted(double value) const;
  bool allows(double value) const { return value > 0 || (zero && value == 0); }
};

/// A categorical input of the model and its known levels, sorted.
struct CategoricalInput {
  std::string column;
  std::vector<std::string> levels;
  /// Indices of the levels in the order of display; empty: the order of `levels`.
  std::vector<std::size_t> shown = {};

  std::size_t shown_level(std::size_t place) const { return shown.empty() ? place : shown[place]; }
};

/// A column that is no input itself, but that derived columns are computed from.
struct SourceColumn {
  std::string column;
  double typical = 0;  ///< its value in the central training run
};

/// A numeric column that moves with a scale in every run, or in all but a few: if the scale is
/// multiplied by x, the column is multiplied by x^power. Example: "global_batch" = local_batch *
/// num_gpus moves with num_gpus.
///
/// A column moves in steps if it is ceil(product / divisor) in every run, as "nodes" =
/// ceil(num_gpus / 8); the sign of `power` then says whether it grows or falls with the scale.
struct Tie {
  std::string scale;
  std::string column;
  int power = 1;
  std::vector<Factor> factors = {};  ///< of that product; empty if it does not move in steps
  double divisor = 1;

  bool in_steps() const { return !factors.empty(); }
  /// ceil(product / divisor); `value_of` returns the values of the factors.
  double step(const std::function<double(const std::string&)>& value_of) const;
};

/// Inputs and output of a model. The order of inputs is the order of the constants.
struct ModelSpec {
  std::string target;
  std::string unit;
  std::optional<Throughput> throughput;  ///< from which the target is computed
  std::string shown_unit = {};           ///< in which its cells were written, "GiB"; may be empty
  std::vector<NumericInput> intrinsic;
  std::vector<CategoricalInput> categorical;
  std::vector<NumericInput> extrinsic;
  std::vector<DerivedColumn> derived;  ///< for its inputs, in the order of computation
  std::vector<SourceColumn> sources;   ///< empty if the model file does not contain them
  std::vector<Tie> ties;               ///< among the inputs

  std::size_t level_count() const;
  /// Whether all inputs are extrinsic; the sum that they scale is then a single constant.
  bool has_scales_only() const;
  /// Whether any numeric input may be 0.
  bool has_zeros() const;
  bool is_derived(const std::string& column) const;
  /// Whether a derived column is computed from this one.
  bool is_derived_from(const std::string& column) const;
  /// Whether the column moves with a scale.
  bool is_tied(const std::string& column) const;
  /// Whether other columns determine this one, so that it is no scale of its own: it is derived or
  /// moves in steps with a scale.
  bool follows(const std::string& column) const;
  /// Whether other inputs change with this one: derived columns, and columns tied to it.
  bool moves_others(const std::string& column) const;
};

/// The columns that a configuration must have: inputs that are not derived, and columns from which
/// derived ones are computed.
std::vector<std::string> required_columns(const ModelSpec& spec);

/// Levels and ties are determined from all rows of the table, ranges from `training_rows`. The
/// typical values of source columns are not set, see set_typical_values().
ModelSpec make_spec(const Table& table, const Roles& roles,
                    std::span<const std::size_t> training_rows);

/// Sets the typical values of source columns to those of this row.
void set_typical_values(const Table& table, std::size_t row, ModelSpec& spec);

}  // namespace perfmodel
