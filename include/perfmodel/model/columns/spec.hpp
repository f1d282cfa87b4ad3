#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "perfmodel/data/table.hpp"
#include "perfmodel/model/columns/derived.hpp"
#include "perfmodel/model/columns/roles.hpp"
#include "perfmodel/model/columns/throughput.hpp"

namespace perfmodel {

/// How a column that may be 0 counts in a product of powers, of which 0 would be no factor.
struct ZeroValue {
  double unit = 1;     ///< the smallest value above 0
  bool apart = false;  ///< 0 has a factor of its own; otherwise x counts as 1 + x / unit
};

/// A numeric column of the model and the range of its values in the training rows.
struct NumericInput {
  std::string column;
  double low = 0;
  double high = 0;
  std::optional<ZeroValue> zero = {};  ///< nothing: all values are > 0

  /// What a value counts as in a product of powers; of 0 it is > 0, too.
  double counted(double value) const;
  bool allows(double value) const { return value > 0 || (zero && value == 0); }
};

/// A categorical column of the model and its known levels, sorted.
struct CategoricalInput {
  std::string column;
  std::vector<std::string> levels;
  /// Which of them people see first, second, ...; empty: the order in which they stand.
  std::vector<std::size_t> shown = {};

  std::size_t shown_level(std::size_t place) const { return shown.empty() ? place : shown[place]; }
};

/// A column that is no input itself: derived columns are computed from it.
struct SourceColumn {
  std::string column;
  double typical = 0;  ///< of the central run of the training rows
};

/// A numeric column that moves with a scale in every run: where the scale is multiplied by x, it is
/// multiplied by x^power. "global_batch", which is local_batch * num_gpus, with num_gpus.
struct Tie {
  std::string scale;
  std::string column;
  int power = 1;
};

/// What a model takes in and gives out. The order of the inputs is the order of the constants.
struct ModelSpec {
  std::string target;
  std::string unit;
  std::optional<Throughput> throughput;  ///< of which the target is computed
  std::vector<NumericInput> intrinsic;
  std::vector<CategoricalInput> categorical;
  std::vector<NumericInput> extrinsic;
  std::vector<DerivedColumn> derived;  ///< what its inputs are computed from, in their order
  std::vector<SourceColumn> sources;   ///< empty of a model file that does not tell them
  std::vector<Tie> ties;               ///< of its inputs

  std::size_t level_count() const;
  /// Whether scales are its only inputs: what they scale is then one constant.
  bool has_scales_only() const;
  /// Whether a numeric column may be 0.
  bool has_zeros() const;
  bool is_derived(const std::string& column) const;
  /// Whether a derived column is computed from this one.
  bool is_derived_from(const std::string& column) const;
  /// Whether the column moves with a scale.
  bool is_tied(const std::string& column) const;
  /// Whether other inputs change where this one does: derived columns, and those tied to it.
  bool moves_others(const std::string& column) const;
};

/// The columns that a configuration must have: the inputs that are not derived, and what derived
/// ones are computed from.
std::vector<std::string> required_columns(const ModelSpec& spec);

/// Levels and ties come from all rows of the table, ranges from `training_rows`. Typical values are
/// left to set_typical_values().
ModelSpec make_spec(const Table& table, const Roles& roles,
                    std::span<const std::size_t> training_rows);

/// Those of this row of the table.
void set_typical_values(const Table& table, std::size_t row, ModelSpec& spec);

}  // namespace perfmodel
