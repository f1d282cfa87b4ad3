#pragma once

#include <string>
#include <vector>

namespace perfmodel {
struct FitRequest;
}

namespace perfmodel::cli {

/// The exit codes that scripts rely on. A signal gives 128 + its number.
enum class ExitCode : int {
  done = 0,
  internal_error = 1,
  wrong_usage = 2,
  bad_input = 3,
  gate_failed = 4,
  output_failed = 5,
  out_of_memory = 6,
  aim_missed = 7,
};

/// Parses the command line, runs the command and turns every error into its message and exit code.
/// Only this function and run_embedded() catch errors.
int run_app(int argc, const char* const* argv);

// For callers that embed the program: no signal handlers, no exit.

/// As run_app(), but the message of an error is stored in `error`.
int run_embedded(int argc, const char* const* argv, std::string& error);

/// The request of `fit` with these options, such as "--l2=0.01", for rows that are in memory.
/// Throws UsageError, with the message of the program, for options that it would refuse.
FitRequest fit_request(const std::vector<std::string>& options);

/// "perfmodel 0.1.0"
std::string tool_name();

/// The document of `--version --json`.
std::string version_json();

}  // namespace perfmodel::cli
