#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/markdown.hpp"

namespace perfmodel::test {

inline constexpr int kKernels = 5;

/// Of kernel k: time = (k + 1) * gpus^(0.1 k), memory = 10 (k + 1) * gpus^0.5, without noise, rows
/// of the kernels in turn; a last kernel has a single run.
struct ManyRuns {
  std::string wide = "kernel,gpus,time_s,memory_mb\n";
  std::string sorted;                   ///< the wide ones, kernel by kernel
  std::string third = "gpus,time_s\n";  ///< of kernel 2 alone

  ManyRuns() {
    for (const double gpus : {1, 2, 4, 8, 16, 32}) {
      for (int k = 0; k < kKernels; ++k) {
        const std::string key = "k" + std::to_string(k) + "," + perfmodel::to_text(gpus) + ",";
        const std::string time = perfmodel::to_text((k + 1) * std::pow(gpus, 0.1 * k));
        const std::string memory = perfmodel::to_text(10 * (k + 1) * std::sqrt(gpus));
        wide += key + time + "," + memory + "\n";
        if (k == 2)
          third += perfmodel::to_text(gpus) + "," + time + "\n";
      }
    }
    wide += "alone,8,1,1\n";
    std::vector<std::string> lines = lines_of(wide);
    std::stable_sort(lines.begin() + 1, lines.end() - 1,
                     [](const auto& a, const auto& b) { return a.substr(0, 2) < b.substr(0, 2); });
    for (const std::string& line : lines)
      sorted += line + "\n";
  }
};

}  // namespace perfmodel::test
