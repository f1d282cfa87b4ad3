#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/table.hpp"

namespace perfmodel {

/// The numbers behind the codes of a text column; NaN for a text that is none. Numbers stand in a
/// text column where the first cell of the file was bad.
std::vector<double> level_numbers(const Column& column);

/// The numbers of a column, one per row; where it was read as text, of its texts. NaN for what is
/// none.
std::vector<double> numbers_of(const Column& column);

/// The upper of the two middle values where their number is even. At least one value.
double median(Eigen::VectorXd values);

/// The same of values that count so often; of each once where `counts` is empty.
double median(const Eigen::VectorXd& values, std::span<const std::uint64_t> counts);

/// Quantile of sorted values, with the rank p (n + 1) that keeps tails of small samples long. At
/// least one value, 0 <= p <= 1.
double quantile(const std::vector<double>& sorted, double p);

/// The rows that have the same texts in some columns.
struct TableGroup {
  std::vector<std::string> key;  ///< a text per column
  std::vector<std::size_t> rows;
};

/// Each run as a row, of a table whose rows stand for several.
Table one_by_one(const Table& merged);

/// The groups in the order in which they first appear; without columns all rows are one group. Read
/// the columns as text, so that 1 and 1.0 are two keys, as they stand. Throws InputError where the
/// table lacks a column.
std::vector<TableGroup> groups_of(const Table& table, std::span<const std::string> columns);

/// Numbers of columns, of their values and of rows that are the same whatever columns and levels
/// are called, however rows are ordered and often repeated, and in any unit.
struct ContentColours {
  std::vector<std::uint64_t> columns;
  std::vector<std::vector<std::uint64_t>> values;
  std::vector<std::uint64_t> rows;
};

/// The ranks of numbers among themselves, from 0.
std::vector<std::uint32_t> ranks_of(const std::vector<double>& numbers);

/// `columns`: the index of a value per row.
ContentColours content_colours(const std::vector<double>& measured,
                               const std::vector<std::vector<std::uint32_t>>& columns);

/// All rows of the table, sorted by what stands in them: by the column `first`, then by the
/// colours of the rows, then by the other columns in the order of their names. What is drawn from
/// rows in this order (splits, folds, samples) depends neither on the order of the rows in the file
/// nor on that of its columns, on names or on the units of its numbers. Only rows that are equal
/// throughout keep the order of the file.
std::vector<std::size_t> rows_by_content(const Table& table, std::string_view first);

}  // namespace perfmodel
