#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/data/split.hpp"
#include "perfmodel/data/table.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// How one model did on the runs of one file.
struct ModelScore {
  std::string name;
  std::size_t source = 0;  ///< index of the file
  std::string file;
  PartMetrics metrics;
  double fit_seconds = 0;
  /// Extrinsic columns and their powers; empty for a black box.
  std::vector<std::string> columns;
  std::vector<double> scaling_powers;
};

/// Which rows train and which test where a column is extrapolated.
struct Extrapolation {
  Split split;
  double limit = 0;  ///< rows up to this value train, the others test
};

/// Of these rows, trains on the lower values of a numeric column and tests on the higher ones: up
/// to `limit`, or else up to the value that leaves 60 % of the distinct values (rounded up, but not
/// all) to train.
///
/// Throws InputError where the column is missing or holds texts, UsageError where either side would
/// be empty.
Extrapolation split_by_value(const Table& table, std::span<const std::size_t> rows,
                             std::string_view column, std::optional<double> limit);

}  // namespace perfmodel
