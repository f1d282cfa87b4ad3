#include "fit/process/kernel/matern.hpp"

#include "perfmodel/fit/simd/instruction_set.hpp"

namespace perfmodel::matern {

const Functions& functions_for(InstructionSet instructions) {
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

}  // namespace perfmodel::matern
