#pragma once

#include "export/formula_code.hpp"

namespace perfmodel {

// `text` and `latex` of formula_code: for reading, three digits.

std::string readable_generic(const ModelSpec& spec, const Eigen::VectorXd& constants,
                             FormulaLanguage language);
std::string readable_multi(const ModelSpec& spec, const MultiStructure& structure,
                           const Eigen::VectorXd& constants, FormulaLanguage language);

}  // namespace perfmodel
