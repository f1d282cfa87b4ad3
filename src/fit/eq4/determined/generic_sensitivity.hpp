#pragma once

#include <Eigen/Core>

#include "fit/determined/sensitivity.hpp"
#include "fit/eq4/space/search_space.hpp"
#include "perfmodel/fit/task/fit_options.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// Of Eq. (4); `scaled` are its constants in scaled form.
Sensitivity generic_sensitivity(const SearchSpace& space, const Design& training,
                                const FitOptions& options, const Eigen::VectorXd& scaled);

}  // namespace perfmodel
