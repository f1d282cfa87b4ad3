#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/temporary_directory.hpp"

namespace perfmodel::test {

/// What a terminal shows of a command: standard output and standard error in one.
struct CommandOutput {
  std::vector<std::string> lines;
  int exit_code = -1;  ///< of the shell
};

/// A folder as a reader has it at the root of a clone: data and examples beside what is written
/// there, and the program on the path.
class ReadersFolder {
 public:
  explicit ReadersFolder(const std::string& program);

  /// A link to what stands elsewhere; in .bin it is a command.
  void link(const std::string& name, const std::filesystem::path& target) const;
  void write(const std::string& name, const std::vector<std::string>& lines) const;
  CommandOutput run(const std::string& command) const;

 private:
  TemporaryDirectory folder_;
};

}  // namespace perfmodel::test
