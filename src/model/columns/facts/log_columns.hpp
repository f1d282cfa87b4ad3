#pragma once

#include <string>
#include <vector>

#include "model/columns/facts/column_part.hpp"
#include "perfmodel/model/columns/facts/factor.hpp"

namespace perfmodel {

/// A column of numbers > 0 as logarithms: products and quotients are sums and differences there.
struct LogColumn {
  const ColumnPart* part;
  std::vector<double> logarithms;
  bool is_whole = false;  ///< all its numbers are whole ones

  const std::string& name() const { return part->column->name; }
};

struct SignedColumn {
  const LogColumn* column;
  int power;  ///< 1 or -1
};

/// Whether the product of these powers is the same in every row, but for a share of `agreement`
/// above or below. Most rows of most products are never looked at.
bool is_same_everywhere(const std::vector<SignedColumn>& product, double agreement);

/// Columns whose every cell is a number > 0, that vary, in the order of their names.
std::vector<LogColumn> log_columns(const std::vector<const ColumnPart*>& parts);

/// "num_gpus * local_batch", "batch_size / time_s", "1 / time_s".
std::string product_text(const std::vector<Factor>& factors);

std::size_t distinct_values(const Column& column);

/// Whether all numbers are whole ones.
bool is_whole(const Column& column);

}  // namespace perfmodel
