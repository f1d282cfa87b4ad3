#pragma once

#include <cstddef>
#include <optional>

#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// How far runs of one configuration are from each other: what no model of the configurations can
/// get below.
struct NoiseFloor {
  std::size_t rows = 0;    ///< that share their configuration with another row
  std::size_t groups = 0;  ///< configurations of two rows or more
  /// Mean of |t - m| / t over these rows, m the median of the configuration, in percent; divided by
  /// median_shrinkage(rows of the group), since a median lies nearer to its own rows than the truth
  /// does.
  double mape_percent = 0;
};

/// Nothing where no configuration has two rows. The design has times.
std::optional<NoiseFloor> noise_floor(const Design& design);

/// E |x - median of the sample| / E |x - mu| of a normal sample of this size, to four digits: from
/// the expected values of normal order statistics, 0.7071 of two or three, 0.8312 of four or five.
/// At least two.
double median_shrinkage(std::size_t sample_size);

}  // namespace perfmodel
