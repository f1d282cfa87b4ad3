#pragma once

#include <string>
#include <vector>

#include "model/columns/facts/column_part.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// A numeric input that the runs had as a result beside the time.
struct ByProduct {
  std::string column;
  std::string law;  ///< "batch_size / time_s", up to a factor; empty where the name tells
};

/// Among the columns that no flag names, that are no scale by name and not derived, those
/// - that are a product or quotient of the time and up to two other numbers, to 1 % in every row,
/// - or whose name is that of a result (is_by_product_name),
/// and that look measured: more than 20 different values, or one for more than half of the rows. A
/// quantity that people set has fewer, which repeat. Columns of whole numbers need the name.
///
/// In the order of their names.
std::vector<ByProduct> find_by_products(const Table& table, const std::vector<ColumnPart>& parts);

}  // namespace perfmodel
