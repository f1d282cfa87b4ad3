#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace perfmodel {

/// Which constants of a model the training rows determine, so that they can be quoted.
///
/// A constant is identified where no flat direction of the model moves it (to first order at the
/// optimum), where it does not stand at a bound other than 0, and where its approximate 95 %
/// interval is narrow: at most +-0.5 for a power, +-50 % for a coefficient of a numeric column, and
/// +-50 % or +-10 % of the median time, whichever is wider, for C, levels and their differences. A
/// coefficient or C of exactly 0 is determined by its bound, where no flat direction leads away.
///
/// Factors of a sum of product terms are relative to the first that is not 0 (which stands at true)
/// and, like its coefficients, need +-50 %. A factor of exactly 0 stands at true: where the term
/// does not exist it takes less than 1e-4 of the time.
struct Identifiability {
  std::vector<bool> constants;  ///< one per constant, in the order of the model's
  /// Where a bound other than 0 decides, not the rows; one per constant.
  std::vector<bool> at_bound = {};
  /// Of Eq. (4): one per level, column by column: its difference to the first level of the column
  /// (which stands at true). Where several columns have levels, only such differences are
  /// determined.
  std::vector<bool> differences;
  /// Of a sum of product terms: its local scaling powers as scaling_powers() reports them, one per
  /// extrinsic column.
  std::vector<bool> scaling_powers;
};

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
