#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "perfmodel/fit/task/fit_options.hpp"
#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// How one build of the objective's kernel did beside the baseline.
struct KernelVariant {
  std::string name;           ///< "avx2"
  std::size_t costs = 0;      ///< that were compared
  std::size_t identical = 0;  ///< of them, bit by bit
};

/// Evaluates random candidates with every instruction set that this processor has, and on several
/// threads; each must give the bits of the baseline on one thread.
std::vector<KernelVariant> compare_kernel_variants(const ModelSpec& spec, const Design& training,
                                                   Loss loss, std::uint64_t seed);

}  // namespace perfmodel
