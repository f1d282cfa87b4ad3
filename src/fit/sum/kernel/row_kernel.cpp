#include "fit/sum/kernel/row_kernel.hpp"

#include "fit/simd/one_for.hpp"

namespace perfmodel::row_kernel {

const Functions& functions_for(InstructionSet instructions) {
  return one_for(instructions, baseline, avx2, avx512);
}

}  // namespace perfmodel::row_kernel
