#pragma once

#include <cstddef>

#include "fit/process/residual_process.hpp"

namespace perfmodel::process {

struct PredictiveKernel {
  Kernel kernel;
  bool is_better = false;  ///< else it is that of the process
  std::size_t evaluations = 0;
};

/// Of many rows: the kernel from which a sample of them is predicted best out of the rows next to
/// each, as predictions are; searched from that of the process on, and taken where it predicts
/// other rows better, too.
PredictiveKernel predictive_kernel(const ResidualProcess& process, const ProcessOptions& options);

}  // namespace perfmodel::process
