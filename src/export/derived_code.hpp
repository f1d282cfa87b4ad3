#pragma once

#include <functional>
#include <string>

#include "export/formula_code.hpp"
#include "export/formula_tree.hpp"

namespace perfmodel {

/// What code names a column, and how it writes a number.
struct CodeWords {
  std::function<std::string(const std::string& column)> column;
  std::function<std::string(double value)> number;
};

/// The formula of a derived column as an expression of `python`, `c` or `spreadsheet` with the same
/// value. It is a single operand wherever it is put: in parentheses, a call, a name or a number.
///
/// Throws InputError for a function that is not known here.
std::string derived_code(const FormulaTree& tree, FormulaLanguage language, const CodeWords& words);

}  // namespace perfmodel
