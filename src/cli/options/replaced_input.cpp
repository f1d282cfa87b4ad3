#include "cli/options/replaced_input.hpp"

#include <filesystem>

#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {

void refuse_to_replace(const std::string& input, const std::string& output) {
  std::error_code ignored;  // a file that is not there is not the same
  if (std::filesystem::is_regular_file(input, ignored) &&
      std::filesystem::equivalent(input, output, ignored))
    throw UsageError("the output would replace the input " + input);
}

void refuse_to_replace(const std::vector<std::optional<std::string>>& inputs,
                       const std::string& output) {
  for (const auto& input : inputs)
    if (input)
      refuse_to_replace(*input, output);
}

}  // namespace perfmodel::cli
