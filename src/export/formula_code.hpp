#pragma once

#include <Eigen/Core>
#include <string>

#include "model/form/multi_expression.hpp"
#include "perfmodel/export/formula_language.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

// A whole model in a language. Both throw InputError for a derived column whose formula the
// language cannot be given.

/// Eq. (4): `constants` in the order of GenericLayout.
std::string generic_code(const ModelSpec& spec, const Eigen::VectorXd& constants,
                         FormulaLanguage language);
/// A sum of product terms: `constants` in the order of MultiLayout.
std::string multi_code(const ModelSpec& spec, const MultiStructure& structure,
                       const Eigen::VectorXd& constants, FormulaLanguage language);

}  // namespace perfmodel
