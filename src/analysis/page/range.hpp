#pragma once

#include <cstddef>
#include <vector>

namespace perfmodel::page {

enum class Spacing { linear, logarithmic };

/// What an axis spans. low < high; both > 0 where the spacing is logarithmic.
struct Range {
  double low = 0;
  double high = 1;
  Spacing spacing = Spacing::linear;

  /// 0 at low, 1 at high.
  double position(double value) const;
  /// The inverse of position().
  double value(double position) const;
  bool contains(double value) const { return low <= value && value <= high; }
};

/// A range that holds these values with a little room at both ends, even where they are all equal.
/// Not empty; all finite, and > 0 for logarithmic spacing.
Range range_of(const std::vector<double>& values, Spacing spacing);

/// The smallest of 1, 2 or 5 times a power of ten that cuts the span into at most `most` steps.
/// Both > 0.
double round_step(double span, std::size_t most);

}  // namespace perfmodel::page
