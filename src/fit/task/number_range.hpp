#pragma once

#include "perfmodel/base/sentence.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// Times and columns within these have squares, and squares of errors far smaller than they are,
/// that a double holds in full.
constexpr double kLeastFittedNumber = 1e-150;
constexpr double kLargestFittedNumber = 1e150;

/// What is said of numbers beyond, and of fits that lead there.
Sentence numbers_out_of_range();

/// Whether no measured time and no number of a column but 0 is beyond them.
bool in_fitted_range(const Design& runs);

/// Throws InputError where one is.
void require_fitted_range(const Design& runs);

}  // namespace perfmodel
