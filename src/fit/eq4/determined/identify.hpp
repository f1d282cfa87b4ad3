#pragma once

#include <Eigen/Core>

#include "fit/determined/findings.hpp"
#include "fit/eq4/space/search_space.hpp"

namespace perfmodel {

/// Of Eq. (4); `scaled` are the constants of `model` in scaled form.
Findings identify(const FittedModel& model, const Design& training, const SearchSpace& space,
                  const FitOptions& options, const Eigen::VectorXd& scaled);

}  // namespace perfmodel
