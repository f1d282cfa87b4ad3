#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>

#include "model/form/multi_expression.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// What a term depends on, as a name for it: "filters^1.9 · batch^0.8 · by activation, not
/// workers". Powers below 0.05 and factors within 5 % of 1 are left out; the scales that it lacks
/// stand at the end. "the same everywhere" where it depends on nothing.
std::string multi_term_title(const ModelSpec& spec, const MultiStructure& structure,
                             const Eigen::VectorXd& constants, std::size_t term);

}  // namespace perfmodel
