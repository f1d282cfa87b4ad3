#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/page/range.hpp"

namespace perfmodel::page {

struct Tick {
  double value = 0;
  std::string label;
};

/// At most `most` (at least 3) round values inside of the range, and where these are few or the
/// range is logarithmic one at each end that would be far from any. Of a linear range multiples of
/// 1, 2 or 5 times a power of ten; of a logarithmic one as many of 1, 2, ..., 9 times the powers of
/// ten as there is room for, or, where it spans too little for three of them, as of a linear one.
std::vector<Tick> ticks_of(const Range& range, std::size_t most);

/// A range on the paper, from left to right or from bottom to top.
class Axis {
 public:
  Axis(const Range& range, double at_low, double at_high)
      : range_(range), at_low_(at_low), at_high_(at_high) {}

  const Range& range() const { return range_; }
  /// The place of a value; of values beyond the range that of its end.
  double at(double value) const;

 private:
  Range range_;
  double at_low_;
  double at_high_;
};

}  // namespace perfmodel::page
