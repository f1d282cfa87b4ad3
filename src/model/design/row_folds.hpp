#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/design/row_groups.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel {

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

}  // namespace perfmodel
