#include "support/shell.hpp"

#include <array>
#include <cstdio>

#include "support/temporary_directory.hpp"

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

std::optional<std::string> output_of_python(const std::string& code) {
  const TemporaryDirectory directory;
  return output_of(kPython + directory.write("code.py", code));
}

std::optional<std::string> output_of_javascript(const std::string& code) {
  const TemporaryDirectory directory;
  return output_of("node " + directory.write("code.js", code));
}

std::optional<std::string> output_of_c(const std::string& declarations,
                                       const std::string& statements, const std::string& options) {
  const TemporaryDirectory directory;
  const std::string file =
      directory.write("code.c", declarations + "#include <stdio.h>\nint main(void) {\n" +
                                    statements + "return 0;\n}\n");
  const std::string program = directory.file("program");
  return output_of("cc " + options + " -o " + program + " " + file + " -lm && " + program);
}

}  // namespace perfmodel::test
