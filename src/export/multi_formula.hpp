#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>

#include "model/form/multi_expression.hpp"
#include "model/form/unseen_parts.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

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

}  // namespace perfmodel
