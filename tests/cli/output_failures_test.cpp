// What becomes of an output that cannot be written to its end.
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/sample_runs.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;

namespace {

/// More predictions than a pipe and a small file hold.
std::string many_configurations() {
  std::string text = "filters,activation,workers\n";
  for (int row = 0; row < 100'000; ++row)
    text += "4,relu,2\n";
  return text;
}

struct Inputs {
  TemporaryDirectory directory;
  std::string model = directory.write("model.json", sample_model());
  std::string configurations = directory.write("many.csv", many_configurations());

  /// Of a shell command in which PROGRAM and ERRORS are what they say.
  std::string run(const std::string& command) const {
    const std::string program =
        "PROGRAM=" + tested_program() + "; ERRORS=" + directory.file("errors");
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
  // sh has no pipefail, so that the exit code comes by a file.
  CHECK(inputs.run("{ $PROGRAM predict model.json many.csv 2>$ERRORS; echo $? >code; } | head -1; "
                   "cat code") == "filters,activation,workers,predicted_time_s,in_range\n141\n");
  CHECK(inputs.errors().empty());
  REQUIRE(inputs.run("$PROGRAM simulate model.json many.csv -o runs.csv 2>$ERRORS; echo $?") ==
          "0\n");
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  const ProgramOptions options{.input = "",
                               .environment = {},
                               .directory = inputs.directory.path(),
                               .output_descriptor = ends[1]};
  for (const std::vector<std::string>& command : {std::vector<std::string>{"--help"},
                                                  {"--version"},
                                                  {"fit", "--help"},
                                                  {"show", "model.json"},
                                                  {"evaluate", "model.json", "runs.csv"},
                                                  {"scaling", "model.json", "--column", "workers"},
                                                  {"simulate", "model.json", "many.csv"}}) {
    CAPTURE(command);
    const ProgramResult result = run_perfmodel(command, options);
    CHECK(result.exit_code == 141);
    CHECK_THAT(result.errors, !Catch::Matchers::ContainsSubstring("error"));
  }
  ::close(ends[1]);
}

TEST_CASE("what a killed run left beside its output is gone after the next", "[cli]") {
  const Inputs inputs;
  const ProgramOptions options{.input = "",
                               .environment = {},
                               .directory = inputs.directory.path(),
                               .output_descriptor = {}};
  const std::string process = inputs.run(
      "$PROGRAM predict model.json many.csv -o out.csv >&2 & kill -KILL $!; wait $! 2>/dev/null; "
      "printf $!");
  const std::string left = inputs.directory.file("out.csv.perfmodel-" + process + "-0");
  inputs.directory.write(std::filesystem::path(left).filename(), "partial");
  CHECK(run_perfmodel({"predict", "model.json", "many.csv", "-o", "out.csv"}, options).exit_code ==
        0);
  CHECK_FALSE(std::filesystem::exists(left));
}
