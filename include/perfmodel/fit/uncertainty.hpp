#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace perfmodel {

/// What a bootstrap draws with replacement.
enum class Resampling {
  rows,       ///< whole training rows
  residuals,  ///< residuals of ln(time), put on the fitted times: for few rows
};

std::string_view to_text(Resampling resampling);

struct Interval {
  double low = 0;
  double high = 0;
};

/// How far other runs of the same kind would have moved the constants of Eq. (4).
struct Uncertainty {
  Resampling resampling = Resampling::rows;
  std::size_t samples = 0;
  double confidence = 0.95;
  std::vector<Interval> constants;  ///< in the order of GenericLayout
  std::vector<Interval>
      differences;  ///< of each level to the first of its column, column by column
};

}  // namespace perfmodel
