#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "perfmodel/data/table.hpp"
#include "perfmodel/model/roles.hpp"

namespace perfmodel {

/// A numeric column of the model and the range of its values in the training rows.
struct NumericInput {
  std::string column;
  double low = 0;
  double high = 0;
};

/// A categorical column of the model and its known levels, sorted.
struct CategoricalInput {
  std::string column;
  std::vector<std::string> levels;
};

/// What a model takes in and gives out. The order of the inputs is the order of the constants.
struct ModelSpec {
  std::string target;
  std::string unit;
  std::vector<NumericInput> intrinsic;
  std::vector<CategoricalInput> categorical;
  std::vector<NumericInput> extrinsic;

  std::size_t level_count() const;
};

/// Levels come from all rows of the table, ranges from `training_rows`.
ModelSpec make_spec(const Table& table, const Roles& roles,
                    std::span<const std::size_t> training_rows);

}  // namespace perfmodel
