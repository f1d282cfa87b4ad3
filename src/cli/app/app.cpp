#include "cli/app/app.hpp"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <new>
#include <system_error>

#include "cli/app/program.hpp"
#include "cli/options/flag_names.hpp"
#include "cli/options/gates.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/signals.hpp"
#include "io/file/output_file.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {
namespace {

void answer(const std::string& text) {
  OutputFile output("-");
  output.write(text);
  output.commit();
}

int code(ExitCode code) {
  return static_cast<int>(code);
}

int run_program(Program& program, int argc, const char* const* argv) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    answer(program.help());
    return code(ExitCode::done);
  } catch (const CLI::CallForVersion& version) {
    answer(std::string(version.what()) + "\n");
    return code(ExitCode::done);
  }
  if (!program.has_command()) {
    std::fputs(program.help().c_str(), stderr);
    return code(ExitCode::wrong_usage);
  }
  Console console(program.console_options());
  return program.run(console);
}

}  // namespace

int run_app(int argc, const char* const* argv) {
  // A reader that went away and a file beyond its limit of size are failed writes (EPIPE, EFBIG),
  // so that what was begun is tidied up.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);

  Program program;
  const auto fail = [&](ExitCode exit_code, const std::string& message) {
    Console(program.console_options()).error(message);
    return code(exit_code);
  };
  const auto defect = [&](const std::exception& error) {
    return fail(ExitCode::internal_error,
                std::string(error.what()) + "; this is a defect of perfmodel, please report it");
  };
  constexpr auto out_of_memory =
      "out of memory: this takes more than the machine, or a limit of it, gives; pass fewer rows "
      "or columns, or fewer --threads";
  const auto advice = [&] { return "\nSee '" + program.command_name() + " --help'."; };
  try {
    return run_program(program, argc, argv);
  } catch (const CLI::ParseError& error) {
    return fail(ExitCode::wrong_usage, error.what() + advice());
  } catch (const UsageError& error) {
    return fail(ExitCode::wrong_usage, with_flags(error.sentence()) + advice());
  } catch (const InputError& error) {
    return fail(ExitCode::bad_input, with_flags(error.sentence()));
  } catch (const GateError& error) {
    return fail(ExitCode::gate_failed, error.what());
  } catch (const ReaderGone&) {
    return exit_code_of_signal(SIGPIPE);  // what a pipeline expects, and no message
  } catch (const OutputError& error) {
    return fail(ExitCode::output_failed, error.what());
  } catch (const Interrupted& error) {
    fail(ExitCode::internal_error, error.what());
    return exit_code_of_signal(received_signal().value_or(SIGINT));
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::out_of_memory, out_of_memory);
  } catch (const std::system_error& error) {
    // A thread for which there is no room.
    return error.code() == std::errc::resource_unavailable_try_again
               ? fail(ExitCode::out_of_memory, out_of_memory)
               : defect(error);
  } catch (const std::exception& error) {
    return defect(error);
  }
}

}  // namespace perfmodel::cli
