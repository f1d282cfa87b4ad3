#include "fit/process/matrix/tile_kernel.hpp"

#include "fit/simd/one_for.hpp"

namespace perfmodel::tile_kernel {

const Functions& functions_for(InstructionSet instructions) {
  return one_for(instructions, baseline, avx2, avx512);
}

}  // namespace perfmodel::tile_kernel
