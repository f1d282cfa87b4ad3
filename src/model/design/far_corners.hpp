#pragma once

#include <cstdint>
#include <vector>

#include "perfmodel/model/design/unmeasured.hpp"

namespace perfmodel {

/// A numeric column cut into strips that are equally wide in ln x, or in ln(1 + x / unit) of a
/// column that may be 0.
struct StripColumn {
  std::string column;
  std::vector<double> edges;         ///< of the strips, ascending, one more than there are
  std::vector<std::uint8_t> of_row;  ///< strip of each row
};

/// The column must have two values.
StripColumn strips_of(const NumericInput& input, const NumericFactor& factor, std::size_t rows);

/// Regions of two columns towards a corner that no row is near: none lies as far out in both, and
/// none within half of the measured range of both. Few rows show them, such as two lines that
/// cross, where counting says nothing; a full grid has none.
std::vector<UnmeasuredRegion> far_corners(const StripColumn& a, const StripColumn& b);

}  // namespace perfmodel
