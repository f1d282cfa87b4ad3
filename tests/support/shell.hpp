#pragma once

#include <optional>
#include <string>

namespace perfmodel::test {

/// Debian's Python, whatever else is first in the path: it has the NumPy that generated code needs.
inline const std::string kPython = "/usr/bin/python3 ";

/// What a shell command prints; nothing where it fails.
std::optional<std::string> output_of(const std::string& command);

/// Whether a shell command succeeds; what it prints is dropped.
bool succeeds(const std::string& command);

}  // namespace perfmodel::test
