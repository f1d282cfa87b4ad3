#pragma once

#include <cstddef>
#include <functional>

#include "analysis/plan/space.hpp"

namespace perfmodel::plan {

/// Hands every configuration of a space of lists to `visit`, in the order of its lists with the
/// last column fastest. The conditions of the space are not looked at.
void for_each_configuration(const Space& space,
                            const std::function<void(const Configuration&)>& visit);

}  // namespace perfmodel::plan
