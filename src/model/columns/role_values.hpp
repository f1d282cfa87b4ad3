#pragma once

#include <string>
#include <vector>

#include "model/columns/cell_problems.hpp"
#include "model/columns/column_parts.hpp"
#include "perfmodel/base/sentence.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// What stands in the way of a fit: cells, and whole columns; and how to go on.
struct Obstacles {
  explicit Obstacles(const Table& table) : cells(table) {}

  CellProblems cells;
  std::vector<Sentence> columns;

  /// Throws InputError that tells all of it.
  void throw_if_any() const;
};

/// What to do about cells of the measured time, or throughput; runs that failed can be left out
/// where there are any.
Sentence remedy_of_measured(const std::string& what, const Table& table, const Column& column);

/// Notes a column that is neither one of numbers with slips nor one of levels.
void refuse_mixed(const Table& table, const ColumnPart& part, Obstacles& obstacles);

/// Checks every cell of the columns that play a part: the target and scales > 0, other numbers
/// >= 0, levels not blank and fewer than the rows.
void check_values(const Table& table, const std::vector<ColumnPart>& parts, Obstacles& obstacles);

}  // namespace perfmodel
