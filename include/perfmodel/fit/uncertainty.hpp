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

/// How far other runs of the same kind would have moved the constants.
struct Uncertainty {
  Resampling resampling = Resampling::rows;
  std::size_t samples = 0;
  double confidence = 0.95;
  std::vector<Interval> constants;  ///< in the order of the model's
  /// Of Eq. (4): of each level to the first of its column, column by column.
  std::vector<Interval> differences;
  /// Of a sum of product terms: of its local scaling powers, one per extrinsic column.
  std::vector<Interval> scaling_powers;
};

}  // namespace perfmodel
