#pragma once

#include <string>
#include <utility>
#include <vector>

#include "perfmodel/design.hpp"

namespace perfmodel {

/// One side of a region: a range of a numeric column, or one level of a categorical column.
struct RegionPart {
  std::string column;
  double low = 0;
  double high = 0;
  std::string level;  ///< empty for a numeric column
};

/// A region within the measured ranges of the columns that contains no measurement: a level without
/// training rows, or a combination of values of two columns.
struct UnmeasuredRegion {
  std::vector<RegionPart> parts;  ///< one or two; a configuration must lie in all of them
};

/// "activation = gelu", "gpus in 4 .. 8 with batch_size = 8"
std::string to_text(const UnmeasuredRegion& region);

/// Examines all pairs of columns. A numeric column is divided into a cell per value if it has up to
/// 6, else into 4 cells of about equally many rows; a categorical column has a cell per level. A
/// pair of cells without a row is a region if at least 6 rows would be expected there for
/// independent columns: the probability of none is then e^-6 = 0.25 %. Adjacent cells are joined.
/// For a pair of numeric columns without such a region, corners are examined: a region where no row
/// is as far out in both columns, and none within half of the measured range (in ln x) of both. Of
/// two texts of few levels, or a text and a number, of which one follows from the other, every pair
/// of levels without a row is a region.
std::vector<UnmeasuredRegion> find_unmeasured(const ModelSpec& spec, const Design& training);

/// The pairs of texts, or of a text and a number, of few values that each follow from the other:
/// what each of them does cannot be told.
std::vector<std::pair<std::string, std::string>> confounded_texts(const ModelSpec& spec,
                                                                  const Design& training);

/// Per row of the design: whether it lies in the region.
std::vector<bool> rows_in_region(const UnmeasuredRegion& region, const ModelSpec& spec,
                                 const Design& design);

}  // namespace perfmodel
