#include "cli/options/kernel_choice.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {

InstructionSet parse_kernel(std::string_view word, std::span<const InstructionSet> available) {
  if (word.empty())
    return available.back();
  std::vector<std::string> words;
  for (const InstructionSet instructions : available) {
    if (to_text(instructions) == word)
      return instructions;
    words.emplace_back(to_text(instructions));
  }
  throw UsageError("PERFMODEL_KERNEL: '" + std::string(word) + "' is no kernel of this machine, " +
                   "which has " + quoted_list(words));
}

InstructionSet kernel_of_environment() {
  const char* word = std::getenv("PERFMODEL_KERNEL");
  return parse_kernel(word == nullptr ? "" : word, available_instruction_sets());
}

}  // namespace perfmodel::cli
