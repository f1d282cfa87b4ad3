#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/csv_text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const Words kGpOfRuns = {"runs.csv", "--extrinsic", "gpus", "--intrinsic", "batch",  "--expression",
                         "multi",    "--terms",     "1",    "--residual",  "process"};

struct TimedRun {
  double batch;
  int gpus;
  double time;
};

double law(const TimedRun& run) {
  return 0.01 * std::pow(run.batch, 0.7) * std::pow(run.gpus, -0.4) *
         (1 + 0.2 * std::sin(std::log(run.batch)));
}

/// The law with noise; one run in `every` takes so many times as long.
std::vector<TimedRun> timed_runs(std::size_t count, std::size_t every, double noise = 0.02,
                                 double times = 6) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 5);
  std::vector<TimedRun> out;
  for (std::size_t i = 0; i < count; ++i) {
    TimedRun run{.batch = std::exp(uniform(random)), .gpus = 1 << (i % 3), .time = 0};
    run.time = law(run) * std::exp(noise * normal(random));
    if (every > 0 && i % every == 5)
      run.time *= times;
    out.push_back(run);
  }
  return out;
}

std::string csv_of(const std::vector<TimedRun>& runs, double unit, const std::string& name) {
  std::string out = "batch,gpus," + name + '\n';
  for (const TimedRun& run : runs)
    out += csv_row(run.batch, run.gpus, run.time * unit);
  return out;
}

/// What a fit gives: the model, and the times that it predicts for `asked`.
struct Fitted {
  nlohmann::json model;
  std::vector<double> predicted;
};

Fitted fitted(const std::string& runs, const std::string& asked, const std::string& target) {
  ProgramTest folder;
  folder.write("runs.csv", runs);
  folder.write("asked.csv", asked);
  Fitted out{.model = folder.model_of(kGpOfRuns, {"--target", target, "--quiet"}), .predicted = {}};
  folder.write("model.json", out.model.dump());
  const auto rows =
      csv_cells(folder.run({"predict", "model.json", "asked.csv", "--quiet"}).succeeded().output);
  REQUIRE(rows[0][2] == "predicted_" + target);
  for (std::size_t row = 1; row < rows.size(); ++row)
    out.predicted.push_back(std::stod(rows[row][2]));
  return out;
}

}  // namespace

TEST_CASE("a process counts runs for little that were disturbed, and predicts as if they were not",
          "[process]") {
  const std::vector<TimedRun> runs = timed_runs(200, 20);
  std::vector<TimedRun> reversed = runs;
  std::reverse(reversed.begin(), reversed.end());
  std::string asked = "batch,gpus\n";
  for (const TimedRun& run : runs)
    asked += csv_row(run.batch, run.gpus);
  const Fitted found = fitted(csv_of(runs, 1, "time_s"), asked, "time_s");
  CHECK(found.model["search"]["noise"] == "student_t");
  CHECK(found.model["search"]["outliers"] == 10);
  const std::vector<double> counted = found.model["constants"]["process"]["runs"];
  CHECK(std::count_if(counted.begin(), counted.end(), [](double w) { return w < 0.2; }) == 10);
  REQUIRE(found.predicted.size() == runs.size());
  // Noise of 2 % over neighbours; what passes through a disturbed run is 500 % off.
  for (std::size_t i = 0; i < runs.size(); ++i)
    CHECK(std::abs(found.predicted[i] / law(runs[i]) - 1) < 0.06);

  const Fitted other = fitted(csv_of(reversed, 1e3, "time_ms"), asked, "time_ms");
  CHECK(other.model["search"]["outliers"] == 10);
  REQUIRE(other.predicted.size() == runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i)
    CHECK(other.predicted[i] == Catch::Approx(1e3 * found.predicted[i]).epsilon(1e-6));

  const Fitted clean = fitted(csv_of(timed_runs(200, 0), 1, "time_s"), asked, "time_s");
  CHECK(clean.model["search"].value("outliers", 0) == 0);
  for (std::size_t i = 0; i < runs.size(); ++i)
    CHECK(std::abs(clean.predicted[i] / law(runs[i]) - 1) < 0.04);
}

TEST_CASE_METHOD(
    ProgramTest,
    "the summary says how many runs were disturbed, and a bootstrap is not misled by them",
    "[process]") {
  write("runs.csv", csv_of(timed_runs(200, 20), 1, "time_s"));
  const nlohmann::json model = model_of(kGpOfRuns, {"--bootstrap", "20"});
  CHECK_THAT(said(), ContainsSubstring("10 runs are far from what similar runs show and count "
                                       "for little; evaluate --outliers 10 lists"));
  for (const nlohmann::json& constant : model["uncertainty"]["constants"]) {
    if (constant["name"] != "q[gpus]")
      continue;
    CAPTURE(constant.dump());
    CHECK(constant["upper"].get<double>() - constant["lower"].get<double>() < 0.05);
  }
}

TEST_CASE_METHOD(ProgramTest, "runs that are off by less than 1 % are no outliers", "[process]") {
  for (const auto& [times, disturbed] : {std::pair{1.006, 0U}, {1.06, 10U}}) {
    CAPTURE(times);
    write("runs.csv", csv_of(timed_runs(200, 20, 2e-4, times), 1, "time_s"));
    const nlohmann::json model = model_of(kGpOfRuns);
    REQUIRE(model["search"]["noise"] == "student_t");
    CHECK(model["search"]["outliers"] == disturbed);
    CHECK((said().find("far from what similar runs show") != std::string::npos) == (disturbed > 0));
    write("model.json", model.dump());
    CHECK(occurrences(run({"evaluate", "model.json", "runs.csv", "--outliers", "12"}).output,
                      "outlier") == disturbed);
  }
}
