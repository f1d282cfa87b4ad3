#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace perfmodel {

/// Orthonormal contrasts (Helmert): n - 1 columns for n levels, each summing to 0. No level is the
/// reference, so a penalty on them treats all levels alike, and a level that was never seen gets
/// the mean of the others.
Eigen::MatrixXd contrasts(std::size_t levels);

}  // namespace perfmodel
