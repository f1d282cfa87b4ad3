#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// One column's part in a region: values of a numeric column from low to high, or one level.
struct RegionPart {
  std::string column;
  double low = 0;
  double high = 0;
  std::string level;  ///< empty for a numeric column
};

/// A region inside of the measured ranges of the columns in which nothing was measured: a level
/// without a training row, or a combination of values of two columns.
struct UnmeasuredRegion {
  std::vector<RegionPart> parts;  ///< one or two; a configuration lies inside of all of them
};

/// "activation = gelu", "gpus in 4 .. 8 with batch_size = 8"
std::string to_text(const UnmeasuredRegion& region);

/// Looks at all pairs of columns. A column of up to 6 values has a cell for each, others have 4
/// cells of about equally many rows; levels are cells. A pair of cells without a row is a region
/// where 6 rows or more would be expected there if the columns had nothing to do with each other:
/// fewer can be missing by chance (e^-6 = 0.25 %). Neighbouring cells are joined. A pair of numeric
/// columns that has no such region may have others: towards a corner, where no row lies as far out
/// in both columns and none within half of the measured range (in ln x) of both.
std::vector<UnmeasuredRegion> find_unmeasured(const ModelSpec& spec, const Design& training);

/// One per row of the design: whether it lies in the region.
std::vector<bool> rows_in_region(const UnmeasuredRegion& region, const ModelSpec& spec,
                                 const Design& design);

}  // namespace perfmodel
