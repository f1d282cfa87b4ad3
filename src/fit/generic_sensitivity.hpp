#pragma once

#include <Eigen/Core>

#include "fit/search_space.hpp"
#include "fit/sensitivity.hpp"
#include "perfmodel/fit/fit_options.hpp"
#include "perfmodel/model/design.hpp"

namespace perfmodel {

/// Of Eq. (4); `scaled` are its constants in scaled form.
Sensitivity generic_sensitivity(const SearchSpace& space, const Design& training,
                                const FitOptions& options, const Eigen::VectorXd& scaled);

}  // namespace perfmodel
