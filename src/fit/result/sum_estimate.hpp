#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace perfmodel {

/// What the constants of a sum of product terms were made to minimise: with its terms, all that
/// fitting it again takes.
struct SumEstimate {
  /// Of the powers and of the logarithms of factors, beside the penalty that was asked for; 0 where
  /// the loss was.
  double ridge = 0;
  bool intercept = true;                 ///< C is among the constants
  std::vector<std::size_t> shared = {};  ///< numeric columns whose power all terms share
};

/// The same of a sum whose terms may belong to one level of a category each.
struct SumEstimates {
  std::optional<std::size_t> parted;  ///< that categorical column
  std::vector<SumEstimate> sums;      ///< one per level of it; one where there is none
};

}  // namespace perfmodel
