#include <string>

#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;

TEST_CASE_METHOD(
    ProgramTest,
    "ten configurations are planned, measured, resumed and fitted where PyTorch is installed",
    "[cli][measure][needs-pytorch]") {
  const std::string examples = PERFMODEL_SOURCE_DIR "/examples/measure/";
  // Debian's PyTorch belongs to Debian's Python, whatever else is first in the path.
  const std::string python = succeeds("python3 -c 'import torch'") ? "python3 " : kPython;
  const std::string plan = file("plan.csv");
  run({"plan", examples + "space.json", "-n", "10", "-o", plan}).succeeded();
  const std::string runs = file("runs.csv");
  const std::string measure = python + examples + "measure.py " + plan + " " + runs +
                              " --iterations 2 --warm-up 1 --visits ";
  REQUIRE(succeeds(measure + "1"));
  const auto line_count = [&](const std::string& name) { return lines_of(read(name)).size(); };
  CHECK(line_count("runs_visits.csv") == 11);
  const std::size_t measured = line_count("runs.csv");
  CHECK(measured >= 6);  // some configurations have an image shrink to nothing

  // An interruption that cut off the last line: that visit is done again, no other.
  const std::string text = read("runs_visits.csv");
  write("runs_visits.csv", text.substr(0, text.size() - 3));
  REQUIRE(succeeds(measure + "2"));
  CHECK(line_count("runs_visits.csv") == 21);
  CHECK(read("runs_visits.csv").starts_with(text.substr(0, text.rfind('\n', text.size() - 2))));
  CHECK(line_count("runs.csv") == measured);
  CHECK(run({"fit", runs, "--intrinsic", "filters", "--extrinsic", "batch_size", "--ignore",
             "spread_s,visits", "-o", file("model.json")})
            .exit_code == 0);
}
