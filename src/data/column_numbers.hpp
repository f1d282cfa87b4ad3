#pragma once

#include <vector>

#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// The numbers behind the codes of a text column; NaN for a text that is none. Numbers stand in a
/// text column where the first cell of the file was bad.
std::vector<double> level_numbers(const Column& column);

/// The numbers of a column, one per row; where it was read as text, of its texts. NaN for what is
/// none.
std::vector<double> numbers_of(const Column& column);

}  // namespace perfmodel
