#include "support/program.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "support/catch.hpp"

namespace perfmodel::test {
namespace {

/// In the child: wires the standard streams, then becomes the program. Does not return.
[[noreturn]] void become_program(std::vector<char*>& arguments, const ProgramOptions& options,
                                 const std::string& input, const std::string& output,
                                 const std::string& errors) {
  const int in = ::open(input.c_str(), O_RDONLY);
  const int out = options.output_descriptor.value_or(
      ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
  const int err =
      options.error_descriptor.value_or(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
  const bool wired = ::dup2(in, STDIN_FILENO) != -1 && ::dup2(out, STDOUT_FILENO) != -1 &&
                     ::dup2(err, STDERR_FILENO) != -1 && ::chdir(options.directory.c_str()) == 0;
  // A test runner may ignore signals; the program starts as from a terminal.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
  for (const auto& [name, value] : options.environment)
    ::setenv(name.c_str(), value.c_str(), 1);
  bool bounded = true;
  if (options.address_space) {
    const rlimit limit{*options.address_space, *options.address_space};
    bounded = ::setrlimit(RLIMIT_AS, &limit) == 0;
  }
  if (wired && bounded)
    ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

}  // namespace

std::string tested_program() {
  const char* other = std::getenv("PERFMODEL_TESTED_PROGRAM");
  return other ? other : PERFMODEL_BINARY;
}

ProgramResult ProgramResult::succeeded() const {
  INFO(errors);
  REQUIRE(exit_code == 0);
  return *this;
}

nlohmann::json ProgramResult::json() const {
  return nlohmann::json::parse(succeeded().output);
}

std::string ProgramResult::failed(int code) const {
  INFO(errors);
  CHECK(exit_code == code);
  return errors;
}

std::string ProgramResult::refused(int code) const {
  CHECK(output.empty());
  return failed(code);
}

Program::Program(const Words& arguments, const ProgramOptions& options) {
  const std::string input = files_.write("input", options.input);
  const std::string output = files_.file("output");
  const std::string errors = files_.file("errors");
  Words owned = {tested_program()};
  owned.insert(owned.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (auto& argument : owned)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  process_ = ::fork();
  if (process_ == -1)
    throw std::runtime_error("fork failed");
  if (process_ == 0)
    become_program(pointers, options, input, output, errors);
}

Program::~Program() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
}

void Program::signal(int number) const {
  ::kill(process_, number);
}

ProgramResult Program::wait() {
  int status = 0;
  while (::waitpid(process_, &status, 0) == -1)
    if (errno != EINTR)
      throw std::runtime_error("waitpid failed");
  process_ = -1;
  ProgramResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (std::filesystem::exists(files_.file("output")))
    result.output = read_text(files_.file("output"));
  result.errors = read_text(files_.file("errors"));
  return result;
}

Words both_of(Words first, const Words& further) {
  first.insert(first.end(), further.begin(), further.end());
  return first;
}

ProgramResult run_perfmodel(const Words& arguments, const ProgramOptions& options) {
  return Program(arguments, options).wait();
}

Words listed_commands() {
  const std::string help = run_perfmodel({"--help"}).output;
  std::istringstream lines(help.substr(help.find("Subcommands:\n") + 13));
  Words out;
  for (std::string line; std::getline(lines, line) && !line.empty();)
    out.push_back(line.substr(2, line.find(' ', 2) - 2));
  return out;
}

}  // namespace perfmodel::test
