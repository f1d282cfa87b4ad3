#include <algorithm>
#include <cstdlib>
#include <string>

#include "support/program_fixture.hpp"

using namespace perfmodel::test;

namespace {

int run_shell(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str());
}

std::size_t line_count(const std::string& path) {
  const std::string text = read_text(path);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

const std::string examples = PERFMODEL_SOURCE_DIR "/examples/measure/";

}  // namespace

TEST_CASE_METHOD(
    ProgramTest,
    "ten configurations are planned, measured, resumed and fitted where PyTorch is installed",
    "[cli][measure][needs-pytorch]") {
  // Debian's PyTorch belongs to Debian's Python, whatever else is first in the path.
  const std::string python =
      run_shell("python3 -c 'import torch'") == 0 ? "python3" : "/usr/bin/python3";
  const std::string plan = file("plan.csv");
  run({"plan", examples + "space.json", "-n", "10", "-o", plan}).succeeded();
  const std::string runs = file("runs.csv");
  const std::string measure = python + " " + examples + "measure.py " + plan + " " + runs +
                              " --iterations 2 --warm-up 1 --visits ";
  REQUIRE(run_shell(measure + "1") == 0);
  const std::string visits = file("runs_visits.csv");
  CHECK(line_count(visits) == 11);
  const std::size_t measured = line_count(runs);
  CHECK(measured >= 6);  // some configurations have an image shrink to nothing

  // An interruption that cut off the last line: that visit is done again, no other.
  const std::string text = read_text(visits);
  write("runs_visits.csv", text.substr(0, text.size() - 3));
  REQUIRE(run_shell(measure + "2") == 0);
  CHECK(line_count(visits) == 21);
  CHECK(read_text(visits).starts_with(text.substr(0, text.rfind('\n', text.size() - 2))));
  CHECK(line_count(runs) == measured);
  CHECK(run({"fit", runs, "--intrinsic", "filters", "--extrinsic", "batch_size", "--ignore",
             "spread_s,visits", "-o", file("model.json")})
            .exit_code == 0);
}
