#pragma once

#include <string>
#include <vector>

#include "model/columns/facts/column_part.hpp"
#include "model/columns/facts/log_columns.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// A column that others give.
struct Identity {
  std::string column;
  std::string law;              ///< "local_batch * num_gpus", "4 * nodes", "log of n"
  std::vector<Factor> factors;  ///< of a product that gives the column
};

/// Among the numeric inputs, those that follow from others in every row:
/// - as a product or quotient of up to three, times a number,
/// - as a power (2, 3, 1/2) or a logarithm of one,
/// - as one times a number for each level of a column of texts.
///
/// Which column of an identity follows is a matter of names, the first of
/// - a total ("global_batch", "total_tokens") or a batch beside one that is called per worker,
/// - a number without the name of a scale, but for those per something ("gpus_per_node"),
/// - a coarse count ("nodes" beside "gpus"),
/// - a number per something,
/// - any other scale;
/// among several of these the product of the others, then the one of most different values, then
/// the first in the alphabet. So a scale can grow while all that is kept stays as it is.
///
/// Columns that a flag names and derived ones do not follow from any.
std::vector<Identity> find_identities(const Table& table, const std::vector<ColumnPart>& parts);

}  // namespace perfmodel
