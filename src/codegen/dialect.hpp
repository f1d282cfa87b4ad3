#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/model.hpp"
#include "table/formula.hpp"

namespace perfmodel {

/// A column of levels, and the number that belongs to each.
struct LevelValues {
  std::string operand;              ///< what stands for the column
  std::vector<std::string> levels;  ///< as they stand in the runs
  bool are_text = true;             ///< those of a derived column are numbers
  std::vector<double> values;
};

struct FunctionParts {
  std::string helpers;   ///< functions that stand before it
  std::string comments;  ///< lines that tell which columns its parameters are
  std::vector<std::string> parameters;
  std::string statements;  ///< before the result
  std::string result;
};

/// How a language writes the pieces of a formula; a file for each.
class Dialect {
 public:
  Dialect() = default;
  Dialect(const Dialect&) = delete;
  Dialect& operator=(const Dialect&) = delete;
  virtual ~Dialect() = default;

  /// With all digits; in parentheses where it is negative.
  virtual std::string number(double value) const;
  virtual std::string power(const std::string& base, double exponent) const = 0;
  /// exp(1 - 1/n), whose power a ring of n takes.
  virtual std::string ring(const std::string& name) const = 0;
  /// The smaller of the two.
  virtual std::string capped(const std::string& name, double cap) const = 0;
  /// The larger of the two.
  virtual std::string at_least(const std::string& name, double low) const = 0;
  /// 0 up to 1.
  virtual std::string log2(const std::string& name) const = 0;
  /// One value above the threshold, another up to it.
  virtual std::string step(const std::string& name, double threshold, double below,
                           double above) const = 0;
  /// The value of the level that the column has.
  virtual std::string choice(const LevelValues& column) const = 0;
  /// The number that a text holds.
  virtual std::string number_of(const std::string& text) const = 0;
  /// An operation of a formula; $1, $2 and $3 are its operands. Those whose value is a truth give 1
  /// or 0. It is a single operand wherever it is put.
  virtual std::string_view operation(Operation operation) const = 0;
  virtual std::string_view times() const { return " * "; }
  virtual std::string_view plus() const { return "\n      + "; }

  /// A cell has none, so that expressions stand for them.
  virtual bool has_variables() const { return true; }
  virtual std::string variable(const std::string& name, const std::string& code) const = 0;
  virtual std::string parameter(const std::string& name, bool is_text) const = 0;
  /// A line that tells which column a parameter of another name is; none where names are columns.
  virtual std::string comment(const std::string& /*name*/, const std::string& /*column*/) const {
    return "";
  }
  /// The function predict().
  virtual std::string function(const FunctionParts& parts) const = 0;

  /// A name that the language keeps for itself, whoever has declared it.
  virtual bool keeps(const std::string& name) const = 0;
  /// A word that is read as something else than a name.
  virtual bool misreads(const std::string& /*name*/) const { return false; }
  /// Names are the same where this is equal.
  virtual std::string identity(const std::string& name) const { return name; }
};

/// Of a language that computes: `python`, `c`, `javascript` or `spreadsheet`.
const Dialect& dialect_of(FormulaLanguage language);

// Registered in dialect_of().
const Dialect& python_dialect();
const Dialect& c_dialect();
const Dialect& javascript_dialect();
const Dialect& spreadsheet_dialect();

/// A text as JavaScript has it, which may stand in a page, too.
std::string javascript_literal(const std::string& text);

/// The template of an operation, one of a dialect's list.
struct OperationCode {
  Operation operation;
  std::string_view code;
};

template <class List>
constexpr std::string_view code_of(const List& list, Operation operation) {
  for (const OperationCode& each : list)
    if (each.operation == operation)
      return each.code;
  return {};
}

}  // namespace perfmodel
