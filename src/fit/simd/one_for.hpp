#pragma once

#include "perfmodel/fit/simd/instruction_set.hpp"

namespace perfmodel {

/// What was compiled for these instructions, of the same thing compiled for each.
template <class Compiled>
const Compiled& one_for(InstructionSet instructions, const Compiled& baseline, const Compiled& avx2,
                        const Compiled& avx512) {
  switch (instructions) {
    case InstructionSet::avx512:
      return avx512;
    case InstructionSet::avx2:
      return avx2;
    case InstructionSet::baseline:
      break;
  }
  return baseline;
}

}  // namespace perfmodel
