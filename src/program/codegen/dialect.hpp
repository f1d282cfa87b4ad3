#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/export.hpp"
#include "table/formula.hpp"

namespace perfmodel {

/// A categorical column, and the number that each level stands for.
struct LevelValues {
  std::string operand;              ///< expression of the column
  std::vector<std::string> levels;  ///< as in the runs
  bool are_text = true;             ///< false: a derived column, whose levels are numbers
  std::vector<double> values;
};

struct FunctionParts {
  std::string helpers;   ///< functions defined before it
  std::string comments;  ///< lines that say which columns the parameters are
  std::vector<std::string> parameters;
  std::vector<std::string> numbers;  ///< names of the parameters that are numbers
  std::string statements;            ///< computed before the result
  std::string result;
  std::string target;  ///< the column that is computed
  std::string unit;    ///< of it; may be empty
  RequestLimits limits = {};
};

/// The code of an operation, with $1, $2 and $3 for its operands and '@' for the module of a
/// function.
struct OperationCode {
  Operation operation;
  std::string_view code;
  bool is_condition = false;  ///< a truth value, which becomes 1 or 0
};

/// What a language writes for the simple pieces of a formula, with $1, $2 and $3 for their parts.
struct Syntax {
  std::span<const OperationCode> operations = {};  ///< that differ from the usual notation
  std::string_view module = "";                    ///< what precedes mathematical functions
  std::string_view power = "";                     ///< of a number; empty: as of expressions
  std::string_view condition = "($1 ? $2 : $3)";   ///< $2 if $1 holds, else $3
  std::string_view choice = "";                    ///< of column $1, with its levels and values $2
  std::string_view item = "$1: $2";                ///< of these: the level $1 with its value $2
  std::string_view number_of = "";                 ///< the number that the text $1 contains
  /// Sets $1 to $2. Empty for a spreadsheet cell, where expressions are repeated instead.
  std::string_view variable = "";
  std::string_view mark = "";  ///< of comments; empty: parameters need no explanation
  std::string_view plus = "\n      + ";
  std::string_view times = " * ";
  std::string (*literal)(const std::string&) = nullptr;  ///< of texts
  bool has_integers = false;    ///< that overflow: numbers have a point or an exponent
  std::string_view words = "";  ///< that are no names, besides those that no language has as such
};

/// The pattern with the operands in the places of $1, $2 and $3.
std::string with_operands(std::string_view pattern, std::span<const std::string> operands);

/// Whether a list, which blanks separate, has the word.
bool has_word(std::string_view list, std::string_view word);

/// The syntax of a language for the pieces of a formula.
class Dialect {
 public:
  explicit Dialect(const Syntax& syntax) : syntax_(syntax) {}
  Dialect(const Dialect&) = delete;
  Dialect& operator=(const Dialect&) = delete;
  virtual ~Dialect() = default;

  /// With all digits; in parentheses if negative.
  virtual std::string number(double value) const;
  virtual std::string power(const std::string& base, double exponent) const;
  /// exp(1 - 1/n), whose power is the all-reduce saturation term of n workers.
  std::string saturation(const std::string& name) const;
  /// min(name, clamp).
  std::string clamped(const std::string& name, double clamp) const;
  /// max(name, low).
  std::string at_least(const std::string& name, double low) const;
  /// log2(max(name, 1)).
  virtual std::string log2(const std::string& name) const;
  /// `above` if the value is greater than the threshold, else `below`.
  virtual std::string step(const std::string& name, double threshold, double below,
                           double above) const;
  /// The number of the column's level.
  virtual std::string choice(const LevelValues& column) const;
  /// The number that a text contains.
  virtual std::string number_of(const std::string& text) const;
  /// The code of a formula's operation, with $1, $2 and $3 for its operands. Truth values are 1 or
  /// 0. The code can be used as an operand without further parentheses.
  virtual std::string operation(Operation operation) const;
  /// The operation with these operands in the places of $1, $2 and $3.
  std::string apply(Operation operation, std::span<const std::string> operands) const;

  const Syntax& syntax() const { return syntax_; }
  std::string variable(const std::string& name, const std::string& code) const;
  virtual std::string parameter(const std::string& name, bool /*is_text*/) const { return name; }
  /// A line that says which column a renamed parameter is; empty if names need no explanation.
  virtual std::string comment(const std::string& name, const std::string& column) const;
  /// The value of a numeric input whose smallest measured value is `low`.
  virtual std::string measured(const std::string& name, double /*low*/) const { return name; }
  /// A line that says where a numeric input was measured; empty if the code takes any value.
  virtual std::string range(const std::string& /*name*/, double /*low*/, double /*high*/) const {
    return "";
  }
  /// The function predict().
  virtual std::string function(const FunctionParts& parts) const = 0;

  /// Whether the language reserves the name, even for declarations.
  virtual bool keeps(const std::string& /*name*/) const { return false; }
  /// Whether the language reads the word as something other than a name.
  virtual bool misreads(const std::string& name) const { return has_word(syntax_.words, name); }
  /// Two names are the same if their identities are equal.
  virtual std::string identity(const std::string& name) const { return name; }

 protected:
  std::string one_of(const std::string& condition, const std::string& yes,
                     const std::string& no) const;
  /// The number of a truth value: 1 or 0.
  virtual std::string truth(const std::string& condition) const;
  /// A level of the column as a literal.
  std::string level(const LevelValues& column, std::size_t level) const;
  /// The value of the first level for which `is_text` or, of numbers, "$1 == $2" holds.
  std::string first_of(const LevelValues& column, std::string_view is_text,
                       const std::string& otherwise) const;

 private:
  const Syntax& syntax_;
};

/// For the languages that are not only to read. Throws UsageError for one of a missing tool.
const Dialect& dialect_of(FormulaLanguage language);

/// A language of a tool.
struct Exporter {
  FormulaLanguage language;
  const Dialect& (*dialect)();
};

/// With a decimal point or an exponent: whole numbers are integers in C and NumPy, which overflow.
std::string decimal_literal(double value);

/// A text as a literal of C.
std::string c_literal(const std::string& text);

/// A text as a JavaScript literal, safe in an HTML page, too.
std::string javascript_literal(const std::string& text);

}  // namespace perfmodel
