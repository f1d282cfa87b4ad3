#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/model.hpp"
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

/// The syntax of a language for the pieces of a formula.
class Dialect {
 public:
  Dialect() = default;
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
  virtual std::string choice(const LevelValues& column) const = 0;
  /// The number that a text contains.
  virtual std::string number_of(const std::string& text) const = 0;
  /// The code of a formula's operation, with $1, $2 and $3 for its operands. Truth values are 1 or
  /// 0. The code can be used as an operand without further parentheses.
  virtual std::string operation(Operation operation) const;
  /// What precedes the names of mathematical functions.
  virtual std::string_view module() const { return ""; }
  /// The operation with these operands in the places of $1, $2 and $3.
  std::string apply(Operation operation, std::span<const std::string> operands) const;
  virtual std::string_view times() const { return " * "; }
  virtual std::string_view plus() const { return "\n      + "; }

  /// False for a spreadsheet cell, where expressions are repeated instead.
  virtual bool has_variables() const { return true; }
  virtual std::string variable(const std::string& /*name*/, const std::string& /*code*/) const {
    return "";
  }
  virtual std::string parameter(const std::string& name, bool /*is_text*/) const { return name; }
  /// A line that says which column a renamed parameter is; empty if names need no explanation.
  virtual std::string comment(const std::string& /*name*/, const std::string& /*column*/) const {
    return "";
  }
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
  virtual bool misreads(const std::string& /*name*/) const { return false; }
  /// Two names are the same if their identities are equal.
  virtual std::string identity(const std::string& name) const { return name; }

 protected:
  /// The operations that differ from the notation that most languages share.
  virtual std::span<const OperationCode> own_operations() const { return {}; }
  virtual std::string one_of(const std::string& condition, const std::string& yes,
                             const std::string& no) const;
  /// The number of a truth value: 1 or 0.
  virtual std::string truth(const std::string& condition) const;
  /// A level of the column; `literal` writes texts.
  std::string level(const LevelValues& column, std::size_t level,
                    std::string (*literal)(const std::string&)) const;
  /// All levels with their values: "LEVEL: VALUE, LEVEL: VALUE".
  std::string by_level(const LevelValues& column, std::string (*literal)(const std::string&)) const;
};

/// For the languages that compute, and for Extra-P's notation.
const Dialect& dialect_of(FormulaLanguage language);

// Registered in dialect_of().
const Dialect& extrap_dialect();
/// For those of is_of_workflow().
const Dialect& workflow_dialect_of(FormulaLanguage language);

/// With a decimal point or an exponent: whole numbers are integers in C and NumPy, which overflow.
std::string decimal_literal(double value);
/// The same; in parentheses if negative.
std::string decimal_number(double value);

/// A text as a literal of C.
std::string c_literal(const std::string& text);

/// A text as a JavaScript literal, safe in an HTML page, too.
std::string javascript_literal(const std::string& text);

}  // namespace perfmodel
