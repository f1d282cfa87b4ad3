#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "model/form/multi_expression.hpp"
#include "perfmodel/export/formula_language.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

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

}  // namespace perfmodel
