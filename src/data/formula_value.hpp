#pragma once

#include <cstddef>
#include <span>

#include "data/formula.hpp"
#include "data/formula_program.hpp"

namespace perfmodel {

/// Where the numbers of a name stand, one behind the other.
using FormulaColumns = std::span<const double* const>;

/// The value for one number per name.
double formula_value(const FormulaProgram& program, std::span<const double> values);

/// The values of `rows` rows of the columns from row `first` on, at the front of `stack`, which has
/// room for depth x rows numbers.
void formula_values(const FormulaProgram& program, FormulaColumns columns, std::size_t first,
                    std::size_t rows, double* stack);

/// Value and derivative by one of the names.
Formula::Slope formula_slope(const FormulaProgram& program, std::span<const double> values,
                             std::size_t name);

}  // namespace perfmodel
