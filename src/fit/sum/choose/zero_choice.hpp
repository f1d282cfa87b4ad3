#pragma once

#include <cstdint>

#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// The spec with a decision, for each numeric column that may be 0, how it counts in products:
/// ln(1 + x / unit), or ln x where x > 0 and a factor of its own where it is 0.
///
/// Rows that are held out decide, by one product of all columns: the factor of its own is taken
/// where it predicts them better by more than a standard error, column by column.
ModelSpec with_zeros_counted(const ModelSpec& spec, const Design& training, std::uint64_t seed);

}  // namespace perfmodel
