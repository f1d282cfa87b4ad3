#pragma once

#include <Eigen/Core>
#include <vector>

#include "model/form/multi_expression.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// Which parts of a formula people need to see: not those that change no time within the measured
/// ranges by more than one in a million, which is below what three digits, and clocks, tell. Where
/// a part is taken away from others all are seen.
struct SeenParts {
  std::vector<bool> terms;  ///< inputs of Eq. (4): intrinsic, then categorical; terms of a sum
  bool intercept = true;
};

SeenParts seen_parts_of_generic(const ModelSpec& spec, const Eigen::VectorXd& constants);
SeenParts seen_parts_of_multi(const ModelSpec& spec, const MultiStructure& structure,
                              const Eigen::VectorXd& constants);

}  // namespace perfmodel
