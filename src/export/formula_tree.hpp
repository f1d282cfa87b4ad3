#pragma once

#include <string>
#include <vector>

namespace perfmodel {

/// A formula of derived columns taken apart, so that other languages can be given it.
///
/// Operators and functions have their operands: "+", "-", "*", "/", "^", "<", "&&" ... with two,
/// "neg" and "!" with one, "?:" with three, functions by their names. sum(), avg(), min() and max()
/// take any number of arguments and stand as the operations of two that they amount to.
struct FormulaTree {
  enum class Kind { number, column, operation };

  Kind kind = Kind::number;
  double number = 0;
  std::string word{};  ///< the column, or the operator or function
  std::vector<FormulaTree> operands{};
};

/// `formula` is one that Formula takes, and `columns` those that it uses; other words are constants
/// such as _pi. Throws InputError, which names the formula, for what is not understood.
FormulaTree formula_tree(const std::string& formula, const std::vector<std::string>& columns);

}  // namespace perfmodel
