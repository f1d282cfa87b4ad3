#pragma once

#include <span>
#include <string_view>

#include "perfmodel/fit/simd/instruction_set.hpp"

namespace perfmodel::cli {

/// The instruction set that a user's word names: the last of `available` where it is empty. Throws
/// UsageError for an unknown word and for what is not available.
InstructionSet parse_kernel(std::string_view word, std::span<const InstructionSet> available);

/// What the environment variable PERFMODEL_KERNEL asks of this processor.
InstructionSet kernel_of_environment();

}  // namespace perfmodel::cli
