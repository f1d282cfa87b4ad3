#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/program_fixture.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using perfmodel::to_text;

namespace {

const Words kProcess = {"--expression", "multi", "--terms", "1", "--residual", "process"};

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
    out +=
        to_text(run.batch) + ',' + std::to_string(run.gpus) + ',' + to_text(run.time * unit) + '\n';
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
  Words arguments = {"runs.csv", "--extrinsic", "gpus", "--target", target, "--quiet"};
  arguments.insert(arguments.end(), kProcess.begin(), kProcess.end());
  Fitted out{.model = folder.model_of(arguments), .predicted = {}};
  folder.write("model.json", out.model.dump());
  std::istringstream lines(
      folder.run({"predict", "model.json", "asked.csv", "--quiet"}).succeeded().output);
  std::string line;
  std::getline(lines, line);
  REQUIRE_THAT(line, Catch::Matchers::StartsWith("batch,gpus,predicted_" + target));
  while (std::getline(lines, line)) {
    const std::size_t begin = line.find(',', line.find(',') + 1) + 1;
    out.predicted.push_back(std::stod(line.substr(begin)));
  }
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
    asked += to_text(run.batch) + ',' + std::to_string(run.gpus) + '\n';
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
  Words arguments = {"runs.csv", "--extrinsic", "gpus", "--bootstrap", "20"};
  arguments.insert(arguments.end(), kProcess.begin(), kProcess.end());
  const nlohmann::json model = model_of(arguments);
  CHECK_THAT(said(), ContainsSubstring("10 runs are far from what similar runs show and count "
                                       "for little; evaluate --outliers 10 lists"));
  for (const nlohmann::json& constant : model["uncertainty"]["constants"]) {
    if (constant["name"] != "q[gpus]")
      continue;
    CAPTURE(constant.dump());
    CHECK(constant["upper"].get<double>() - constant["lower"].get<double>() < 0.05);
  }
}

TEST_CASE("runs that are off by less than 1 % are no outliers", "[process]") {
  for (const double times : {1.006, 1.06}) {
    CAPTURE(times);
    ProgramTest folder;
    folder.write("runs.csv", csv_of(timed_runs(200, 20, 2e-4, times), 1, "time_s"));
    Words arguments = {"runs.csv", "--extrinsic", "gpus"};
    arguments.insert(arguments.end(), kProcess.begin(), kProcess.end());
    const nlohmann::json model = folder.model_of(arguments);
    const int disturbed = times > 1.01 ? 10 : 0;
    REQUIRE(model["search"]["noise"] == "student_t");
    CHECK(model["search"]["outliers"] == disturbed);
    CHECK((folder.said().find("far from what similar runs show") != std::string::npos) ==
          (disturbed > 0));
    folder.write("model.json", model.dump());
    const std::string listed =
        folder.run({"evaluate", "model.json", "runs.csv", "--outliers", "12"}).output;
    std::size_t named = 0;
    for (std::size_t at = listed.find("outlier"); at != std::string::npos;
         at = listed.find("outlier", at + 1))
      ++named;
    CHECK(named == static_cast<std::size_t>(disturbed));
  }
}
