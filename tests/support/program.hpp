#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/temporary_directory.hpp"

namespace perfmodel::test {

/// The words of a command line.
using Words = std::vector<std::string>;

/// These words and then those.
Words both_of(Words first, const Words& further);

/// How a program is to be started.
struct ProgramOptions {
  std::string input;                               ///< what it reads from standard input
  std::map<std::string, std::string> environment;  ///< on top of the test's own
  std::string directory = ".";                     ///< where it runs
  std::optional<int> output_descriptor;            ///< instead of a file whose text is returned
  std::optional<int> error_descriptor = {};        ///< the same of standard error
  std::optional<std::size_t> address_space = {};   ///< in bytes, all that it may map
};

struct ProgramResult {
  int exit_code = -1;  ///< 128 + n where signal n ended it, as a shell has it
  std::string output;
  std::string errors;

  /// Itself; the test ends here unless the program ended with 0.
  ProgramResult succeeded() const;
  /// The output of a program that succeeded.
  nlohmann::json json() const;
  /// What a program said that has to have ended with this code.
  std::string failed(int code) const;
  /// The same of one that printed no result.
  std::string refused(int code = 2) const;
};

/// The path of the program: what was built beside the tests, unless the environment's
/// PERFMODEL_TESTED_PROGRAM says that they are to judge another one.
std::string tested_program();

/// The real binary on its way; standard output and error go to files, so nothing can fill up.
class Program {
 public:
  explicit Program(const Words& arguments, const ProgramOptions& options = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t process() const { return process_; }
  void signal(int number) const;
  ProgramResult wait();

 private:
  TemporaryDirectory files_;
  pid_t process_ = -1;
};

/// What every complaint on standard error begins with.
inline const std::string error_prefix = "perfmodel: error: ";

/// Runs `perfmodel` with these arguments to its end.
ProgramResult run_perfmodel(const Words& arguments, const ProgramOptions& options = {});

/// The commands in the order of the help.
Words listed_commands();

}  // namespace perfmodel::test
