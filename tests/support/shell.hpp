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

/// What code in Python or in JavaScript prints; nothing where it fails.
std::optional<std::string> output_of_python(const std::string& code);
std::optional<std::string> output_of_javascript(const std::string& code);

/// The same of declarations in C and the statements of its main function.
std::optional<std::string> output_of_c(
    const std::string& declarations, const std::string& statements,
    const std::string& options = "-std=c99 -Wall -Wextra -Werror");

}  // namespace perfmodel::test
