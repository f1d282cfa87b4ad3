#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/numbering.hpp"
#include "perfmodel/design.hpp"

namespace perfmodel {

/// A partition of rows into groups.
struct RowGroups {
  std::vector<std::size_t> of_row;  ///< row -> group, numbered as they first appear
  std::size_t count = 0;

  /// The rows of each group.
  std::vector<std::vector<std::size_t>> rows() const { return places_of_numbers(of_row, count); }
};

/// How two rows compare by their inputs, in the order of columns, numbers first.
std::partial_ordering by_inputs(const Design& design, std::size_t a, std::size_t b);

/// Groups rows of equal inputs: repeated measurements of one configuration.
RowGroups configuration_groups(const Design& design);

/// configuration_groups(), but rows of a configuration that alone has some level are groups of
/// their own: without all of them, nothing is known of the level.
RowGroups held_out_groups(const Design& design);

/// Groups rows of equal inputs and equal times; the design must have times.
RowGroups equal_row_groups(const Design& design);

/// A mark per row of its inputs and its time: the same for rows of equal content in any file.
std::vector<std::uint32_t> row_marks(const ModelSpec& spec, const Design& design);

/// The rows, ascending, that are among those with these marks; each mark stands for one row.
///
/// Equal rows are the same runs if all rows of one side are on the other, or if the times tell runs
/// apart: they have more than three digits, repeated runs differ, and a tenth of the rows is equal.
/// Otherwise, coarse times of the same configuration are equal by chance; the result is then empty.
std::vector<std::size_t> rows_with_marks(const std::vector<std::uint32_t>& marks,
                                         const ModelSpec& spec, const Design& design);

/// Groups rows by their value in a column; `rows`: rows of its table. Rows of one group are held
/// out together.
RowGroups column_groups(const Column& column, std::span<const std::size_t> rows);

/// The rows per group, with the groups in random order.
std::vector<std::vector<std::size_t>> shuffled_groups(const RowGroups& groups, std::uint64_t seed);

/// Thins the rows of large groups until all have `most` together, or one row of each group is left:
/// what counts of repeated runs is that their configurations stay. A group keeps rows that are
/// spread evenly over its order, of rows by time their middle or an even share.
std::vector<std::vector<std::size_t>> with_fewer_repeats(
    std::vector<std::vector<std::size_t>> groups, std::size_t most);

/// The rows that with_fewer_repeats() leaves of the configurations, ascending; those of one are
/// spread evenly over its times.
std::vector<std::size_t> without_most_repeats(const Design& design, std::size_t most);

/// `most` of the rows, ascending and spread evenly; repeats are left out before configurations are.
std::vector<std::size_t> some_rows_of(const Design& design, std::size_t most);

/// The first `most` rows of a random order, of which repeats are left out before configurations
/// are. `order` has each row of the groups once.
std::vector<std::size_t> drawn_rows(const RowGroups& groups, const std::vector<std::size_t>& order,
                                    std::size_t most);

/// Assigns groups to `parts` folds in turn (at most as many as there are groups) and returns the
/// rows of each fold.
std::vector<std::vector<std::size_t>> deal_groups(
    const std::vector<std::vector<std::size_t>>& groups, std::size_t parts);

/// The held-out rows of each fold, ascending; every row is held out once. Without `folds`, each
/// group is a fold (leave-one-group-out). Throws UsageError if there are fewer than two groups or
/// fewer groups than folds.
std::vector<std::vector<std::size_t>> make_held_out_parts(const RowGroups& groups,
                                                          std::optional<std::size_t> folds,
                                                          std::uint64_t seed);

}  // namespace perfmodel
