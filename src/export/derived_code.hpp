#pragma once

#include <functional>
#include <string>

#include "export/dialect.hpp"
#include "perfmodel/model/columns/derived.hpp"

namespace perfmodel {

/// The formula of a derived column as an expression with the same value; `operand_of` gives what
/// stands for a column. It is a single operand wherever it is put: in parentheses, a call, a name
/// or a number.
///
/// Throws InputError for a formula so long that other languages could not read it.
std::string derived_code(const DerivedColumn& column, const Dialect& dialect,
                         const std::function<std::string(const std::string&)>& operand_of);

}  // namespace perfmodel
