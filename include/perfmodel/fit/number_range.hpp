#pragma once

#include <string_view>

#include "perfmodel/model/design.hpp"

namespace perfmodel {

/// Times and columns within these have squares, and squares of errors far smaller than they are,
/// that a double holds in full.
constexpr double least_fitted_number = 1e-150;
constexpr double largest_fitted_number = 1e150;

/// What is said of numbers beyond, and of fits that lead there.
constexpr std::string_view numbers_out_of_range =
    "the fit leads to figures that are too large for a number; write the times and the columns in "
    "units in which they are nearer to 1, or narrow --bounds";

/// Whether no measured time and no number of a column is beyond them.
bool in_fitted_range(const Design& runs);

/// Throws InputError where one is.
void require_fitted_range(const Design& runs);

}  // namespace perfmodel
