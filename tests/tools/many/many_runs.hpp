#pragma once

#include <cmath>
#include <string>

#include "base/text.hpp"

namespace perfmodel::test {

inline constexpr int kKernels = 5;

/// Of kernel k: time = (k + 1) * gpus^(0.1 k), memory = 10 (k + 1) * gpus^0.5, without noise, rows
/// of the kernels in turn; a last kernel has a single run.
inline std::string many_runs() {
  std::string csv = "kernel,gpus,time_s,memory_mb\n";
  for (const double gpus : {1, 2, 4, 8, 16, 32})
    for (int k = 0; k < kKernels; ++k)
      csv += "k" + std::to_string(k) + "," + perfmodel::to_text(gpus) + "," +
             perfmodel::to_text((k + 1) * std::pow(gpus, 0.1 * k)) + "," +
             perfmodel::to_text(10 * (k + 1) * std::sqrt(gpus)) + "\n";
  return csv + "alone,8,1,1\n";
}

}  // namespace perfmodel::test
