#pragma once

#include <optional>
#include <string>

namespace perfmodel::test {

/// What a shell command prints; nothing where it fails.
std::optional<std::string> output_of(const std::string& command);

/// Whether a shell command succeeds; what it prints is dropped.
bool succeeds(const std::string& command);

}  // namespace perfmodel::test
