#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "codegen/dialect.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "table/expressions.hpp"

namespace perfmodel {

/// Columns as identifiers of a language; two columns never get the same one.
class CodeNames {
 public:
  explicit CodeNames(const Dialect& dialect) : dialect_(dialect) {}
  std::string of(const std::string& column);

 private:
  const Dialect& dialect_;
  std::set<std::string> used_;

  bool is_free(const std::string& name) const;
};

/// The formula of a derived column as an expression with the same value; `operand_of` gives what
/// stands for a column. It is a single operand wherever it is put: in parentheses, a call, a name
/// or a number.
///
/// Throws InputError for a formula so long that other languages could not read it.
std::string derived_code(const DerivedColumn& column, const Dialect& dialect,
                         const std::function<std::string(const std::string&)>& operand_of);

/// What stands for the columns in the body of a function.
struct CodeInputs {
  std::vector<std::string> parameters;  ///< of the function: required_columns()
  std::vector<std::string> intrinsic;
  std::vector<std::string> levels;  ///< the position of the level in the spec
  std::vector<std::string> extrinsic;
};

/// A function predict() of `python`, `c` or `javascript` that returns what `result` writes;
/// `helpers` are functions that stand before it.
std::string function_code(const ModelSpec& spec, FormulaLanguage language,
                          const std::string& helpers,
                          const std::function<std::string(const CodeInputs&)>& result);

// A whole model in a language. Both throw InputError for a derived column whose formula the
// language cannot be given.

/// Eq. (4): `constants` in the order of GenericLayout.
std::string generic_code(const ModelSpec& spec, const Eigen::VectorXd& constants,
                         FormulaLanguage language);
/// A sum of product terms: `constants` in the order of MultiLayout.
std::string multi_code(const ModelSpec& spec, const MultiStructure& structure,
                       const Eigen::VectorXd& constants, FormulaLanguage language);

/// Whether a power is printed as 0, a factor as 1.
bool is_unseen_power(double power);
bool is_unseen_factor(double factor);

/// One term for people, its numbers to three digits:
/// "0.0021 * filters^1.9 * workers^-0.9 * activation{relu: 1, tanh: 1.2} * [num_gpus > 1]".
/// Powers that round to 0 and factors that round to 1 are left out; a factor that only one level
/// has reads [activation = tanh]. `mark`, where it is given, is what stands behind the number of a
/// constant. Of a column of more than `most_levels` levels the others are only counted.
std::string multi_term_text(const ModelSpec& spec, const MultiStructure& structure,
                            const Eigen::VectorXd& constants, std::size_t term,
                            const std::function<std::string(std::size_t)>& mark = nullptr,
                            std::size_t most_levels = std::numeric_limits<std::size_t>::max());

/// "t = TERM + TERM + C" with `plus` between its parts; a C of 0 is left out, and where `seen` is
/// given what is not.
std::string multi_formula(const ModelSpec& spec, const MultiStructure& structure,
                          const Eigen::VectorXd& constants, const std::string& plus = " + ",
                          const SeenParts* seen = nullptr);

// `text` and `latex` of formula_code: for reading, three digits.

std::string readable_generic(const ModelSpec& spec, const Eigen::VectorXd& constants,
                             FormulaLanguage language);
std::string readable_multi(const ModelSpec& spec, const MultiStructure& structure,
                           const Eigen::VectorXd& constants, FormulaLanguage language);

/// What a term depends on, as a name for it: "filters^1.9 · batch^0.8 · by activation, not
/// workers". Powers below 0.05 and factors within 5 % of 1 are left out; the scales that it lacks
/// stand at the end. "the same everywhere" where it depends on nothing.
std::string multi_term_title(const ModelSpec& spec, const MultiStructure& structure,
                             const Eigen::VectorXd& constants, std::size_t term);

}  // namespace perfmodel
