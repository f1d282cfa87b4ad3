#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// The rows that have the same texts in some columns.
struct TableGroup {
  std::vector<std::string> key;  ///< a text per column
  std::vector<std::size_t> rows;
};

/// The groups in the order in which they first appear; without columns all rows are one group. Read
/// the columns as text, so that 1 and 1.0 are two keys, as they stand. Throws InputError where the
/// table lacks a column.
std::vector<TableGroup> groups_of(const Table& table, std::span<const std::string> columns);

}  // namespace perfmodel
