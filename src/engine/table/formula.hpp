#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/error.hpp"

namespace perfmodel {

/// The operation of a step of a formula on the values before it.
enum class Operation {
  // no operand
  text,
  number,
  name,
  // one operand
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
  // two operands
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
  // three operands
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
  double number = 0;     ///< value of a number
  std::size_t name = 0;  ///< index of a name, or of a text
};

/// A formula in postfix notation: "a * (b + 1)" is a b 1 + *. It is evaluated from front to back
/// with a stack, without recursion however deep the nesting.
struct FormulaProgram {
  std::vector<FormulaStep> steps;
  std::vector<std::string> names;
  std::vector<std::string> texts = {};  ///< in quotes; settled formulas have numbers in their place
  std::set<std::string> columns = {};   ///< names in backquotes, which have to be columns
  std::size_t depth = 0;                ///< maximum depth of the stack
  std::size_t operands = 0;             ///< as written, parentheses and calls included
};

/// "+", "max": the operator or, of a function, its name.
std::string_view symbol_of(Operation operation);

/// Per step, the first step of the expression that ends with it.
std::vector<std::size_t> operand_begins(const FormulaProgram& program);

/// True for characters that separate the words of a formula: blanks, tabs, line feeds and other
/// control characters.
inline bool is_formula_blank(char c) {
  return c > 0 && c <= ' ';
}

/// A formula or a section of one for messages: on one line, cut in the middle if it is long,
/// control characters masked.
std::string shown_formula(std::string text);
/// shown_formula() in quotes.
std::string quoted_formula(const std::string& text);

/// True for the characters of words: letters, digits and '_'.
inline bool is_formula_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether a formula can have this name without backquotes.
bool is_formula_word(std::string_view name);
/// A name as formulas write it: "gpus", "`Memory (GiB)`"; a backquote in it is doubled.
std::string formula_name(const std::string& name);
/// A column's name or a formula as a factor: "`local batch`", "(a + b)".
std::string factor_in_formula(const std::string& text);
/// A text as formulas compare it: "'same'"; a quote in it is doubled.
std::string formula_text(const std::string& text, char quote = '\'');
/// The name that a user wrote as it is or, as in formulas, in backquotes.
std::string name_as_written(const std::string& text);
/// The formula with '"' in place of all characters that stand in quotes or backquotes, and of
/// these, so that operators can be sought in it.
std::string without_quoted(const std::string& text);

/// Of a formula with an unknown name, the end of the message: the spelling of the column that it
/// may mean, "; did you mean `config.gpus`?", or the names that there are.
std::string hint_for_name(const std::string& text, const std::string& name,
                          const std::vector<std::string>& names);
/// Of a formula with a mistake: "; the column is written `GPU-count`" if one of these names, with
/// this part, stands in it and needs backquotes; empty if none does.
std::string hint_for_unquoted(const std::string& text, const std::vector<std::string>& names,
                              const std::string& part = {});

/// The columns of texts in formulas, and numbers that represent their texts: one per text, whatever
/// its column.
class TextCodes {
 public:
  double code(const std::string& text);
  /// Without levels, the column may have any.
  void add_column(const std::string& name, std::vector<std::string> levels = {});
  /// nullptr for a column of numbers.
  const std::vector<std::string>* levels_of(const std::string& name) const;
  /// Whether a column has this level.
  bool has_level(const std::string& text) const;

 private:
  std::map<std::string, double> codes_;
  std::map<std::string, std::vector<std::string>> levels_;
};

/// Replaces the texts of a program by their numbers. Throws UsageError, whose message begins with
/// `where`, if a text is compared with no column of texts that has it, and if such a column is used
/// as a number.
void settle_texts(FormulaProgram& program, TextCodes& codes, const std::string& where);

/// An expression of named numbers, as a user writes it: "workers * 1.2",
/// "filters * batch_size <= 4096 && padding == 'same'".
///
/// Operators by increasing precedence: c ? a : b; ||; &&; < > <= >= == !=; + -; * /; the signs - +
/// !; ^. Powers associate from right to left, all others from left to right; comparisons give 1 or
/// 0, and any number but 0 is true. abs, sign, rint, floor, ceil, sqrt, exp, ln (log), log2, log10,
/// sin, ..., atanh, atan2, and min, max, sum, avg of any number of arguments; _pi and _e. Any name
/// can be written in backquotes. Texts in single or double quotes can be compared with the columns
/// of texts that have them, by == and !=.
class Formula {
 public:
  /// `where` names the origin of the text in messages. `codes` knows the columns of texts. Throws
  /// UsageError for syntax errors, unknown names, and texts that are no levels.
  Formula(const std::string& text, const std::vector<std::string>& names, TextCodes& codes,
          const std::string& where);

  /// The names that an expression uses, whether or not they exist, in alphabetical order. Throws
  /// UsageError for syntax errors.
  static std::vector<std::string> names_in(const std::string& text, const std::string& where);
  /// The program of a formula whose names and texts are not known yet. Throws UsageError for syntax
  /// errors.
  static FormulaProgram parsed(const std::string& text, const std::string& where);

  /// The value of the expression; `values`: a number per name, in their order.
  double operator()(std::span<const double> values) const;

  /// The value per row; `columns`: [name][row], in the order of the names. Columns of unused names
  /// may be empty.
  std::vector<double> of_rows(std::span<const std::vector<double>> columns, std::size_t rows) const;
  /// As of_rows(), of the expression that ends with a step of the program.
  std::vector<double> of_rows(std::span<const std::vector<double>> columns, std::size_t rows,
                              std::size_t last) const;

  /// The value and its derivatives with respect to names, as the first numbers of `stack`; at steps
  /// and kinks, such as those of floor() and abs(), the derivative of one side.
  void slopes(std::span<const double> values, std::span<const std::size_t> names,
              std::vector<double>& stack) const;

  /// Whether the value, for any numbers of the other names, is a constant plus a linear function of
  /// the names marked true.
  bool is_affine_in(const std::vector<bool>& names) const;

  const FormulaProgram& program() const { return *program_; }

 private:
  std::shared_ptr<const FormulaProgram> program_;
};

}  // namespace perfmodel
