#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "perfmodel/error.hpp"

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

struct FormulaProgram;

/// What may stand between the words of a formula: blanks, tabs, line feeds and all controls.
inline bool is_formula_blank(char c) {
  return c > 0 && c <= ' ';
}

/// A formula or a part of one as messages show it: on one line, long ones cut in their middle,
/// controls masked.
std::string shown_formula(std::string text);
/// The same in quotes.
std::string quoted_formula(const std::string& text);

/// Numbers that stand for the texts of categorical columns in formulas: one per text, whichever
/// column it is of.
class TextCodes {
 public:
  double code(const std::string& text);

 private:
  std::map<std::string, double> codes_;
};

/// An expression over named numbers, as a user writes it: "workers * 1.2",
/// "filters * batch_size <= 4096 && padding == 'same'".
///
/// From loose to tight: c ? a : b; ||; &&; < > <= >= == !=; + -; * /; the signs - + !; ^. Powers
/// are taken from right to left, all else from left to right; a comparison is 1 or 0, and what is
/// not 0 is true. abs, sign, rint, floor, ceil, sqrt, exp, ln (log), log2, log10, sin, ..., atanh,
/// atan2, and min, max, sum, avg of any number of arguments; _pi and _e. Texts stand in single or
/// double quotes and can be compared.
class Formula {
 public:
  /// `where` names the place of the text in messages. Throws UsageError for what cannot be read.
  Formula(const std::string& text, const std::vector<std::string>& names, TextCodes& codes,
          const Sentence& where);

  /// The names that an expression uses, whatever there is, in alphabetical order. Throws UsageError
  /// for what is none.
  static std::vector<std::string> names_in(const std::string& text, const Sentence& where);

  /// The names that the expression uses, in alphabetical order.
  const std::vector<std::string>& used() const { return used_; }

  /// The value for one number per name, in their order.
  double operator()(std::span<const double> values) const;

  /// The value of each row, of the columns [name][row] in the order of the names. Of a name that is
  /// not used, the column may be empty.
  std::vector<double> of_rows(std::span<const std::vector<double>> columns, std::size_t rows) const;

  struct Slope {
    double value = 0;
    double slope = 0;
  };
  /// The value and its derivative by one of the names. Of steps and corners, such as those of
  /// floor() and abs(), that of one side.
  Slope slope(std::span<const double> values, std::size_t name) const;

  const FormulaProgram& program() const { return *program_; }

 private:
  std::shared_ptr<const FormulaProgram> program_;
  std::vector<std::string> used_;
};

}  // namespace perfmodel
