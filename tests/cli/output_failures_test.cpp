// What becomes of an output that cannot be written to its end.
#include <unistd.h>

#include <string>

#include "support/program_fixture.hpp"
#include "support/sample_runs.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;

namespace {

class OutputFailures : public SampleModelTest {
 public:
  /// With more configurations than a pipe and a small file hold predictions of.
  OutputFailures() {
    std::string text = "filters,activation,workers\n";
    for (int row = 0; row < 100'000; ++row)
      text += "4,relu,2\n";
    write("many.csv", text);
  }

  /// Of a shell command in which PROGRAM and ERRORS are what they say.
  std::string shell(const std::string& command) const {
    const std::string program = "PROGRAM=" + tested_program() + "; ERRORS=" + file("errors");
    const auto printed =
        output_of("cd " + directory().path().string() + " && " + program + "; " + command);
    REQUIRE(printed);
    return *printed;
  }
};

}  // namespace

TEST_CASE_METHOD(OutputFailures,
                 "an output beyond the limit of file sizes keeps the old one and leaves nothing",
                 "[cli]") {
  write("out.csv", "old");
  CHECK(shell("(ulimit -f 100; $PROGRAM predict model.json many.csv -o out.csv 2>$ERRORS; "
              "echo $?)") == "5\n");
  CHECK(read("errors") == error_prefix + "cannot write out.csv: File too large\n");
  CHECK(read("out.csv") == "old");
  CHECK(directory().entries() == 4);  // two inputs, the output and the errors
  CHECK(shell("(ulimit -f 100; $PROGRAM predict model.json many.csv >stdout.csv 2>$ERRORS; "
              "echo $?)") == "5\n");
}

TEST_CASE_METHOD(OutputFailures, "a reader that has enough ends every command without a word",
                 "[cli]") {
  // sh has no pipefail, so that the exit code comes by a file.
  CHECK(shell("{ $PROGRAM predict model.json many.csv 2>$ERRORS; echo $? >code; } | head -1; "
              "cat code") == "filters,activation,workers,predicted_time_s,in_range\n141\n");
  CHECK(read("errors").empty());
  REQUIRE(shell("$PROGRAM simulate model.json many.csv -o runs.csv 2>$ERRORS; echo $?") == "0\n");
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  program_options.output_descriptor = ends[1];
  for (const Words& command : {Words{"--help"},
                               {"--version"},
                               {"fit", "--help"},
                               {"show", "model.json"},
                               {"evaluate", "model.json", "runs.csv"},
                               {"scaling", "model.json", "--column", "workers"},
                               {"simulate", "model.json", "many.csv"}}) {
    CAPTURE(command);
    CHECK_THAT(run(command).failed(141), !Catch::Matchers::ContainsSubstring("error"));
  }
  ::close(ends[1]);
}

TEST_CASE_METHOD(OutputFailures,
                 "files that a killed run left beside its output are gone after the next",
                 "[cli]") {
  const std::string process = shell(
      "$PROGRAM predict model.json many.csv -o out.csv >&2 & kill -KILL $!; wait $! 2>/dev/null; "
      "printf $!");
  const std::string left = "out.csv.perfmodel-" + process + "-0";
  write(left, "partial");
  CHECK(run({"predict", "model.json", "many.csv", "-o", "out.csv"}).exit_code == 0);
  CHECK_FALSE(has(left));
}
