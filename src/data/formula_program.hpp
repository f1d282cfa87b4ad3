#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace perfmodel {

/// What a step of a formula does with the values before it.
enum class Operation {
  // takes none
  number,
  name,
  // take one
  negate,
  negation,
  abs,
  sign,
  rint,
  ceil,
  floor,
  sqrt,
  exp,
  log,
  log2,
  log10,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  // take two
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  greater,
  less_or_equal,
  greater_or_equal,
  equal,
  unequal,
  both,
  either,
  minimum,
  maximum,
  atan2,
  // takes three
  choose,
};

constexpr std::size_t operands_of(Operation operation) {
  if (operation <= Operation::name)
    return 0;
  if (operation < Operation::add)
    return 1;
  return operation < Operation::choose ? 2 : 3;
}

struct FormulaStep {
  Operation operation = Operation::number;
  double number = 0;     ///< its value
  std::size_t name = 0;  ///< which one
};

/// A formula as the tree that it is, operands before what is done with them: "a * (b + 1)" is
/// a b 1 + *. It is walked from front to back with a stack, however deep the tree.
struct FormulaProgram {
  std::vector<FormulaStep> steps;
  std::vector<std::string> names;
  std::size_t depth = 0;     ///< of the stack
  std::size_t operands = 0;  ///< as written, parentheses and calls included
};

}  // namespace perfmodel
