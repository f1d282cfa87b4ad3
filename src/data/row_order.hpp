#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// All rows of the table, sorted by what stands in them: by the column `first`, then by the
/// colours of the rows, then by the other columns in the order of their names. What is drawn from
/// rows in this order (splits, folds, samples) depends neither on the order of the rows in the file
/// nor on that of its columns, on names or on the units of its numbers. Only rows that are equal
/// throughout keep the order of the file.
std::vector<std::size_t> rows_by_content(const Table& table, std::string_view first);

}  // namespace perfmodel
