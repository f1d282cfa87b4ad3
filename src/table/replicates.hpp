#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// Rows that belong together.
struct RowGroups {
  std::vector<std::size_t> of_row;  ///< row -> group; groups count from 0 as they first appear
  std::size_t count = 0;
};

/// Rows of equal inputs: repeated measurements of one configuration.
RowGroups configuration_groups(const Design& design);

/// Rows of equal inputs and equal times. The design has times.
RowGroups equal_row_groups(const Design& design);

/// Rows with the same value in a column; `rows` of its table. Rows of one group are held out
/// together or not at all.
RowGroups column_groups(const Column& column, std::span<const std::size_t> rows);

/// The rows of each group, the groups in random order.
std::vector<std::vector<std::size_t>> shuffled_groups(const RowGroups& groups, std::uint64_t seed);

/// Deals groups out to `parts` folds in turn (at most as many as there are groups) and returns the
/// rows of each fold.
std::vector<std::vector<std::size_t>> deal_groups(
    const std::vector<std::vector<std::size_t>>& groups, std::size_t parts);

/// The held-out rows of each fold, ascending; every row is held out once. As many folds as groups
/// where `folds` is not given: leave one group out. Throws UsageError where there are fewer than
/// two groups, or fewer than folds.
std::vector<std::vector<std::size_t>> make_held_out_parts(const RowGroups& groups,
                                                          std::optional<std::size_t> folds,
                                                          std::uint64_t seed);

/// A numeric column cut into strips that are equally wide in ln x, or in ln(1 + x / unit) of a
/// column that may be 0.
struct StripColumn {
  std::string column;
  std::vector<double> edges;         ///< of the strips, ascending, one more than there are
  std::vector<std::uint8_t> of_row;  ///< strip of each row
};

/// The column must have two values.
StripColumn strips_of(const NumericInput& input, const NumericFactor& factor, std::size_t rows);

/// Regions of two columns towards a corner that no row is near: none lies as far out in both, and
/// none within half of the measured range of both. Few rows show them, such as two lines that
/// cross, where counting says nothing; a full grid has none.
std::vector<UnmeasuredRegion> far_corners(const StripColumn& a, const StripColumn& b);

}  // namespace perfmodel
