// What becomes of an output that cannot be written to its end.
#include <csignal>
#include <filesystem>
#include <string>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/sample_runs.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;

namespace {

/// More predictions than a pipe and a small file hold.
std::string many_configurations() {
  std::string text = "filters,activation,workers\n";
  for (int row = 0; row < 100'000; ++row) {
    text += "4,relu,2\n";
  }
  return text;
}

struct Inputs {
  TemporaryDirectory directory;
  std::string model = directory.write("model.json", sample_model());
  std::string configurations = directory.write("many.csv", many_configurations());

  /// Of a shell command in which PROGRAM and ERRORS are what they say.
  std::string run(const std::string& command) const {
    const std::string program = "PROGRAM=" PERFMODEL_BINARY "; ERRORS=" + directory.file("errors");
    const auto printed =
        output_of("cd " + directory.path().string() + " && " + program + "; " + command);
    REQUIRE(printed);
    return *printed;
  }
  std::string errors() const { return read_text(directory.file("errors")); }
};

}  // namespace

TEST_CASE("an output beyond the limit of file sizes keeps the old one and leaves nothing",
          "[cli]") {
  const Inputs inputs;
  const std::string old = inputs.directory.write("out.csv", "old");
  CHECK(inputs.run("(ulimit -f 100; $PROGRAM predict model.json many.csv -o out.csv 2>$ERRORS; "
                   "echo $?)") == "5\n");
  CHECK(inputs.errors() == error_prefix + "cannot write out.csv: File too large\n");
  CHECK(read_text(old) == "old");
  CHECK(inputs.directory.entries() == 4);  // two inputs, the output and the errors
  CHECK(inputs.run("(ulimit -f 100; $PROGRAM predict model.json many.csv >stdout.csv 2>$ERRORS; "
                   "echo $?)") == "5\n");
}

TEST_CASE("a reader that has enough ends every command without a word", "[cli]") {
  const Inputs inputs;
  // The exit code comes through a descriptor of its own, since sh has no pipefail.
  CHECK(
      inputs.run("{ { $PROGRAM predict model.json many.csv 2>$ERRORS; echo $? >&3; } | head -1; } "
                 "3>&1") == "filters,activation,workers,predicted_time_s,in_range\n141\n");
  CHECK(inputs.errors().empty());
  for (const std::string command :
       {"--help", "--version", "fit --help", "show model.json", "evaluate model.json many.csv",
        "scaling model.json --column workers --set filters=4 --set activation=relu",
        "simulate model.json many.csv"}) {
    CAPTURE(command);
    if (command.starts_with("evaluate")) {
      inputs.run("$PROGRAM simulate model.json many.csv -o runs.csv");
    }
    const std::string arguments =
        command.starts_with("evaluate") ? "evaluate model.json runs.csv" : command;
    // 'true' reads nothing; the program starts when it has gone.
    CHECK(inputs.run("{ { sleep 0.1; $PROGRAM " + arguments +
                     " 2>$ERRORS; echo $? >&3; } | true; } 3>&1") == "141\n");
    CHECK_THAT(inputs.errors(), !Catch::Matchers::ContainsSubstring("error"));
  }
}

TEST_CASE("what a killed run left beside its output is gone after the next", "[cli]") {
  const Inputs inputs;
  const ProgramOptions options{.input = "",
                               .environment = {},
                               .directory = inputs.directory.path(),
                               .output_descriptor = {}};
  Program program({"predict", "model.json", "many.csv", "-o", "out.csv"}, options);
  const std::string left =
      inputs.directory.file("out.csv.perfmodel-" + std::to_string(program.process()) + "-0");
  program.signal(SIGKILL);
  program.wait();
  inputs.directory.write(std::filesystem::path(left).filename(), "partial");
  CHECK(run_perfmodel({"predict", "model.json", "many.csv", "-o", "out.csv"}, options).exit_code ==
        0);
  CHECK_FALSE(std::filesystem::exists(left));
}
