#pragma once

#include <array>
#include <string_view>

#include "data/formula_program.hpp"

namespace perfmodel {

/// What a name before a parenthesis stands for.
struct FormulaFunction {
  std::string_view name;
  Operation operation;
  bool takes_any_number = false;
};

/// avg() is a sum before it is divided.
inline constexpr std::array kFormulaFunctions = {
    FormulaFunction{"abs", Operation::abs},
    FormulaFunction{"acos", Operation::acos},
    FormulaFunction{"acosh", Operation::acosh},
    FormulaFunction{"asin", Operation::asin},
    FormulaFunction{"asinh", Operation::asinh},
    FormulaFunction{"atan", Operation::atan},
    FormulaFunction{"atan2", Operation::atan2},
    FormulaFunction{"atanh", Operation::atanh},
    FormulaFunction{"avg", Operation::add, true},
    FormulaFunction{"ceil", Operation::ceil},
    FormulaFunction{"cos", Operation::cos},
    FormulaFunction{"cosh", Operation::cosh},
    FormulaFunction{"exp", Operation::exp},
    FormulaFunction{"floor", Operation::floor},
    FormulaFunction{"ln", Operation::log},
    FormulaFunction{"log", Operation::log},
    FormulaFunction{"log10", Operation::log10},
    FormulaFunction{"log2", Operation::log2},
    FormulaFunction{"max", Operation::maximum, true},
    FormulaFunction{"min", Operation::minimum, true},
    FormulaFunction{"rint", Operation::rint},
    FormulaFunction{"sign", Operation::sign},
    FormulaFunction{"sin", Operation::sin},
    FormulaFunction{"sinh", Operation::sinh},
    FormulaFunction{"sqrt", Operation::sqrt},
    FormulaFunction{"sum", Operation::add, true},
    FormulaFunction{"tan", Operation::tan},
    FormulaFunction{"tanh", Operation::tanh},
};

struct BinaryOperator {
  std::string_view symbol;
  Operation operation;
  int precedence;
};

/// Longer symbols stand before those that they begin with.
inline constexpr std::array kBinaryOperators = {
    BinaryOperator{"||", Operation::either, 1},
    BinaryOperator{"&&", Operation::both, 2},
    BinaryOperator{"<=", Operation::less_or_equal, 3},
    BinaryOperator{">=", Operation::greater_or_equal, 3},
    BinaryOperator{"==", Operation::equal, 3},
    BinaryOperator{"!=", Operation::unequal, 3},
    BinaryOperator{"<", Operation::less, 3},
    BinaryOperator{">", Operation::greater, 3},
    BinaryOperator{"+", Operation::add, 4},
    BinaryOperator{"-", Operation::subtract, 4},
    BinaryOperator{"*", Operation::multiply, 5},
    BinaryOperator{"/", Operation::divide, 5},
};

inline constexpr std::string_view kLettersAndDigits =
    "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

inline bool is_word(char c) {
  return kLettersAndDigits.find(c) != std::string_view::npos;
}

inline bool begins_number(std::string_view text) {
  return !text.empty() && std::string_view(".0123456789").find(text[0]) != std::string_view::npos;
}

}  // namespace perfmodel
