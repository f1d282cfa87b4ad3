#pragma once

#include <vector>

namespace perfmodel {

/// Which constants of Eq. (4) the training rows determine, so that they can be quoted.
///
/// A constant is identified where no flat direction of the model moves it (to first order at the
/// optimum), where it does not stand at a bound other than 0, and where its approximate 95 %
/// interval is narrow: at most +-0.5 for a power, +-50 % for a coefficient of a numeric column, and
/// +-50 % or +-10 % of the median time, whichever is wider, for C, levels and their differences. A
/// coefficient or C of exactly 0 is determined by its bound, where no flat direction leads away.
struct Identifiability {
  std::vector<bool> constants;  ///< one per constant, in the order of GenericLayout
  /// One per level, column by column: its difference to the first level of the column (which stands
  /// at true). Where several columns have levels, only such differences are determined.
  std::vector<bool> differences;
};

}  // namespace perfmodel
