#pragma once

#include <optional>
#include <string>
#include <vector>

namespace perfmodel::cli {

/// Throws UsageError where the output is the same file as an input that it would replace.
void refuse_to_replace(const std::string& input, const std::string& output);

/// The same of every input that is given.
void refuse_to_replace(const std::vector<std::optional<std::string>>& inputs,
                       const std::string& output);

}  // namespace perfmodel::cli
