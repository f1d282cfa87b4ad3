#include "fit/process/kernel/matern.hpp"

#include "fit/simd/one_for.hpp"

namespace perfmodel::matern {

const Functions& functions_for(InstructionSet instructions) {
  return one_for(instructions, baseline, avx2, avx512);
}

}  // namespace perfmodel::matern
