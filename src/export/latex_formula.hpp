#pragma once

#include <Eigen/Core>
#include <string>

#include "model/form/multi_expression.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

// Formulas as LaTeX sets them, in the lines of an align* of amsmath, with three digits. Terms with
// a coefficient of 0 are left out, and so are factors that would be printed as 1.

std::string latex_generic(const ModelSpec& spec, const Eigen::VectorXd& constants);
std::string latex_multi(const ModelSpec& spec, const MultiStructure& structure,
                        const Eigen::VectorXd& constants);

}  // namespace perfmodel
