#pragma once

#include <functional>
#include <string>

#include "export/formula_code.hpp"
#include "perfmodel/model/columns/derived.hpp"

namespace perfmodel {

/// What code names a column, and how it writes a number.
struct CodeWords {
  std::function<std::string(const std::string& column)> column;
  std::function<std::string(double value)> number;
};

/// The formula of a derived column as an expression of `python`, `c` or `spreadsheet` with the same
/// value. It is a single operand wherever it is put: in parentheses, a call, a name or a number.
///
/// Throws InputError for a formula so long that other languages could not read it.
std::string derived_code(const DerivedColumn& column, FormulaLanguage language,
                         const CodeWords& words);

}  // namespace perfmodel
