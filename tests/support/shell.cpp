#include "support/shell.hpp"

#include <array>
#include <cstdio>

namespace perfmodel::test {

std::optional<std::string> output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr)
    return std::nullopt;
  std::string text;
  std::array<char, 256> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr)
    text += buffer.data();
  if (pclose(pipe) != 0)
    return std::nullopt;
  return text;
}

bool succeeds(const std::string& command) {
  return output_of("(" + command + ") 2>/dev/null").has_value();
}

}  // namespace perfmodel::test
