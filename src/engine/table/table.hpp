#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/eigen.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// The number of each level of a text column; NaN for a text that is no number. A text column
/// contains numbers if its first cell was bad.
std::vector<double> level_numbers(const Column& column);

/// The numbers of a column, one per row; those of its texts if it was read as text. NaN for cells
/// that are no numbers.
std::vector<double> numbers_of(const Column& column);

/// The column with numbers; cells that are none are bad cells, also if it was read as text.
Column as_numbers(const Column& column);

/// Returns `count` row indices, spread evenly over `rows` rows.
std::vector<std::size_t> evenly_chosen(std::size_t rows, std::size_t count);

/// The column with these rows alone, in this order.
Column take_rows(const Column& column, std::span<const std::size_t> rows);

/// The rows with the same texts in some columns.
struct TableGroup {
  std::vector<std::string> key;  ///< a text per column
  std::vector<std::size_t> rows;
};

/// The groups in the order in which they first appear; without columns, all rows are one group. The
/// columns should have been read as text, so that 1 and 1.0 are different keys. Throws InputError
/// if the table lacks a column.
std::vector<TableGroup> groups_of(const Table& table, std::span<const std::string> columns);

/// Hashes of columns, of their values and of rows. They do not depend on the names of columns and
/// levels, on the order of rows, on how often rows are repeated, or on units.
struct ContentColours {
  std::vector<std::uint64_t> columns;
  std::vector<std::vector<std::uint64_t>> values;
  std::vector<std::uint64_t> rows;
};

/// The ranks of the numbers, from 0; equal numbers have equal ranks.
std::vector<std::uint32_t> ranks_of(const std::vector<double>& numbers);

/// `columns`: [column][row], indices of values.
ContentColours content_colours(const std::vector<double>& measured,
                               const std::vector<std::vector<std::uint32_t>>& columns);

/// Appends the columns of `facts` to the runs: each row gets those of the row with the same text in
/// `column`. Throws InputError if a text of the runs has no row there, or one has several, and if
/// both tables have another column of one name.
Table with_facts(Table runs, const std::string& column, const Table& facts);

/// All rows of the table, sorted by their contents: by the column `first`, then by the colours of
/// the rows, then by the other columns in the order of their names. Random draws from rows in this
/// order (splits, folds, samples) do not depend on the order of rows or columns in the file, on
/// names or on units. Only rows that are equal in all columns keep the order of the file.
std::vector<std::size_t> rows_by_content(const Table& table, std::string_view first);

}  // namespace perfmodel
