#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/eigen.hpp"
#include "codegen/dialect.hpp"
#include "perfmodel/spec.hpp"
#include "table/expressions.hpp"
#include "table/formula_text.hpp"

namespace perfmodel {

class Form;

/// Names columns by identifiers of a language, unique among the columns.
class CodeNames {
 public:
  explicit CodeNames(const Dialect& dialect) : dialect_(dialect) {}
  std::string of(const std::string& column);

 private:
  const Dialect& dialect_;
  std::set<std::string> used_;

  bool is_free(const std::string& name) const;
};

/// The formula of a derived column as an expression with the same value; `operand_of` returns the
/// expression of a column. The result can be used as an operand as it is: it is in parentheses, a
/// call, a name or a number.
///
/// Throws InputError for a formula too long for compilers of other languages.
std::string derived_code(const DerivedColumn& column, const Dialect& dialect,
                         const std::function<std::string(const std::string&)>& operand_of);

/// Expressions of the columns in the body of a function.
struct CodeInputs {
  std::vector<std::string> parameters;  ///< parameters of the function: required_columns()
  std::vector<std::string> intrinsic;
  std::vector<std::string> levels;  ///< indices of the levels in the spec
  std::vector<std::string> extrinsic;
};

/// A function predict() in `python`, `c` or `javascript` that returns the expression
/// `result(inputs)`; `helpers`: functions defined before it.
std::string function_code(const ModelSpec& spec, FormulaLanguage language,
                          const std::string& helpers,
                          const std::function<std::string(const CodeInputs&)>& result);

/// Eq. (4) or a sum of product terms in a language. Throws InputError for a derived column whose
/// formula the language cannot express.
std::string terms_code(const TermSum& sum, const VectorXd& constants, const CodeLanguage& language);

/// A form with its constants in a language: a trend with the code of its GP, terms, or a user's
/// formula; of any other form its formula.
std::string form_code(const Form& form, const ModelSpec& spec, const VectorXd& constants,
                      const CodeLanguage& language);

/// A user's formula times `factor`: an operand per name of the program.
std::string own_code(const ModelSpec& spec, const Formula& formula,
                     const std::vector<FormulaOperand>& operands, double factor,
                     const CodeLanguage& language);

}  // namespace perfmodel
