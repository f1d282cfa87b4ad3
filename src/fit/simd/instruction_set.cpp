#include "perfmodel/fit/simd/instruction_set.hpp"

namespace perfmodel {

std::string_view to_text(InstructionSet instructions) {
  switch (instructions) {
    case InstructionSet::baseline:
      return "baseline";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::avx512:
      return "avx512";
  }
  return "";
}

std::vector<InstructionSet> available_instruction_sets() {
  std::vector<InstructionSet> out = {InstructionSet::baseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    out.push_back(InstructionSet::avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
      out.push_back(InstructionSet::avx512);
  }
#endif
  return out;
}

InstructionSet best_instruction_set() {
  static const InstructionSet best = available_instruction_sets().back();
  return best;
}

}  // namespace perfmodel
