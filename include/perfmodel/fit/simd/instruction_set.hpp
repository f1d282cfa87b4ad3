#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace perfmodel {

/// The instruction sets that the objective's kernel is compiled for, narrowest first. All give the
/// same bits.
enum class InstructionSet : std::uint8_t { baseline, avx2, avx512 };

std::string_view to_text(InstructionSet instructions);

/// Those that this processor has, narrowest first; never empty.
std::vector<InstructionSet> available_instruction_sets();

/// The widest that this processor has.
InstructionSet best_instruction_set();

}  // namespace perfmodel
