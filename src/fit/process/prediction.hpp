#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "fit/process/residual_process.hpp"

namespace perfmodel::process {

/// The mean of z, to be added to ln f.
Eigen::VectorXd process_mean(const ResidualProcess& process, const Inputs& inputs,
                             std::size_t threads);

}  // namespace perfmodel::process
