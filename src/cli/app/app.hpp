#pragma once

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
};

/// The whole program: parses the command line, runs the command, turns every error into its message
/// and exit code. The one place that catches.
int run_app(int argc, const char* const* argv);

}  // namespace perfmodel::cli
