#pragma once

#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// The same rows with at most 128 distinct values in each numeric column, for the search to explore
/// on: the kernel then looks powers up that it would have to compute in every row. Intervals of
/// equal width in ln, each with the geometric mean of its values, so that no I^p is off by more
/// than |p| times half that width. Columns of fewer values stay as they are.
Design round_columns(const Design& design);

}  // namespace perfmodel
