// Runs that failed: who refuses them says how to leave them out, and who left them out remembers.

#include <nlohmann/json.hpp>
#include <string>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kAdvice = "--failed drop to leave out runs that failed";

/// Of 40 runs the fourth has this in place of a time.
std::string runs_with(const std::string& cell) {
  std::string text = "gpus,batch_size,time_s\n";
  for (int run = 0; run < 40; ++run) {
    const int gpus = 1 << run % 4;
    const int batch = 16 << run % 5;
    const double time = 0.001 * batch / gpus + 0.002 * gpus * (1 + 0.02 * (run * 7 % 5));
    text += std::to_string(gpus) + "," + std::to_string(batch) + "," +
            (run == 3 ? cell : perfmodel::to_text(time)) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("who refuses runs that failed names the flag that leaves them out", "[cli]") {
  const TemporaryDirectory directory;
  directory.write("runs.csv", runs_with("OOM"));
  directory.write("slip.csv", runs_with("oops"));
  const auto run = [&](const std::vector<std::string>& arguments) {
    return run_perfmodel(
        arguments,
        {.input = "", .environment = {}, .directory = directory.path(), .output_descriptor = {}});
  };
  const ProgramResult fitted =
      run({"fit", "runs.csv", "--failed", "drop", "--expression", "multi", "-o", "model.json"});
  REQUIRE(fitted.exit_code == 0);
  for (const std::string command : {"report", "evaluate"}) {
    const ProgramResult refused = run({command, "model.json", "runs.csv"});
    CHECK(refused.exit_code == 3);
    CHECK_THAT(refused.errors, ContainsSubstring(kAdvice));
    for (const std::string answer : {"refuse", "drop"}) {
      const ProgramResult slip = run({command, "model.json", "slip.csv", "--failed", answer});
      CHECK(slip.exit_code == 3);  // no run failed there
      CHECK_THAT(slip.errors, ContainsSubstring("every run needs a measured time > 0"));
      CHECK_THAT(slip.errors, !ContainsSubstring("--failed"));
    }
  }
  CHECK_THAT(run({"fit", "slip.csv", "--failed", "drop"}).errors, !ContainsSubstring("--failed"));

  const auto report = run(
      {"report", "model.json", "runs.csv", "--failed", "drop", "--title", "a b", "-o", "1.html"});
  REQUIRE(report.exit_code == 0);
  CHECK_THAT(read_text(directory.file("1.html")),
             ContainsSubstring(
                 "perfmodel report model.json runs.csv --failed drop --title &#39;a b&#39; -o "
                 "report.html"));
}

TEST_CASE("a throughput that failed is refused with the same advice", "[cli]") {
  const TemporaryDirectory directory;
  std::string text = runs_with("OOM");
  text.replace(text.find("time_s"), 6, "samples_per_s");
  directory.write("runs.csv", text);
  const ProgramResult refused =
      run_perfmodel({"fit", directory.file("runs.csv"), "--throughput-target", "samples_per_s"});
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.errors, ContainsSubstring(kAdvice));
}
