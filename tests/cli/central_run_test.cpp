#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/csv_text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using perfmodel::rounded;

namespace {

/// global_batch = local_batch * num_gpus, `cores` is 8 everywhere:
/// t = (1e-6 width local_batch + 2e-4 sqrt(num_gpus)) seconds of one job, 1.5 times that of
/// another.
std::string campaign() {
  std::string csv = "width,local_batch,global_batch,cores,job,num_gpus,time_s\n";
  int run = 0;
  for (const int gpus : {1, 2, 4, 8})
    for (const int batch : {8, 16, 32, 128})
      for (const int width : {16, 40, 64}) {
        const bool slow = (run++ * 7) % 3 == 0;
        const double time = (1e-6 * width * batch + 2e-4 * std::sqrt(gpus)) * (slow ? 1.5 : 1);
        csv += csv_row(width, batch, batch * gpus, 8, slow ? "slow" : "fast", gpus, time);
      }
  return csv;
}

class CampaignTest : public ProgramTest {
 public:
  CampaignTest() { write("runs.csv", campaign()); }
  /// The summary, and model.json written.
  std::string fit(const Words& further) const {
    return run({"fit", "runs.csv", "-o", "model.json", "--expression", "multi", "--terms", "2"},
               further)
        .succeeded()
        .errors;
  }
  double predict(const Words& arguments) const {
    return std::stod(run({"predict", "model.json", "--quiet"}, arguments).succeeded().output);
  }
};

}  // namespace

TEST_CASE_METHOD(CampaignTest,
                 "all commands agree on the effect of doubling a scale, at one real run",
                 "[cli][central]") {
  const std::string summary =
      fit({"--intrinsic", "width,local_batch", "--categorical", "job", "--extrinsic", "num_gpus"});
  const nlohmann::json central = model()["central_run"];
  const std::size_t line = central["line"];
  const Words run_there = csv_cells(campaign())[line - 1];
  CHECK(central["configuration"]["width"] == std::stod(run_there[0]));
  CHECK(central["configuration"]["local_batch"] == std::stod(run_there[1]));
  CHECK(central["configuration"]["job"] == run_there[4]);
  CHECK(central["configuration"]["num_gpus"] == std::stod(run_there[5]));
  CHECK(central["time"] == std::stod(run_there[6]));
  CHECK(model()["scaling_powers_at"] == central["configuration"]);

  // The grid is symmetric but for the job: its second value of num_gpus is one of the two middle
  // ones.
  const std::string like = "runs.csv:" + std::to_string(line);
  REQUIRE(run_there[5] == "2");
  const double ratio = predict({"--like", like, "--set", "num_gpus=4"}) / predict({"--like", like});
  CHECK(predict({"--set", "num_gpus=4"}) == predict({"--like", like, "--set", "num_gpus=4"}));
  REQUIRE(ratio > 1.01);
  nlohmann::json effect;
  const nlohmann::json effects = model()["effects"];
  for (const nlohmann::json& each : effects)
    if (each["column"] == "num_gpus")
      effect = each;
  CHECK(effect["ratio"] == Catch::Approx(ratio));
  const std::string words = "2 -> 4: " + rounded(ratio) + " times slower (" +
                            rounded(effect["low"]) + " .. " + rounded(effect["high"]) + ")";
  const std::string place = "the central run (line " + std::to_string(line) + ")";
  CHECK_THAT(summary, ContainsSubstring("at " + place) && ContainsSubstring(words));
  CHECK_THAT(run({"show", "model.json"}).errors,
             ContainsSubstring("num_gpus " + words + " (at " + place + ")"));
  const std::string page = run({"report", "model.json", "runs.csv"}).output;
  CHECK_THAT(page, ContainsSubstring("<p class=\"big\">" + rounded(ratio) + " times slower</p>") &&
                       ContainsSubstring("num_gpus 2 -&gt; 4: " + rounded(ratio) +
                                         " times slower (" + rounded(effect["low"]) + " .. " +
                                         rounded(effect["high"]) + "), at " + place));
  const Words scaling = {"scaling", "model.json", "--column", "num_gpus"};
  CHECK_THAT(run(scaling).output,
             ContainsSubstring("num_gpus " + words + " (at the central run (line " +
                               std::to_string(line) + " of runs.csv))"));
  const nlohmann::json study = run(scaling, {"--format", "json"}).json();
  CHECK(study["doubling"]["from"] == 2);
  CHECK(study["doubling"]["to"] == 4);
  CHECK(study["doubling"]["time_ratio"].get<double>() == Catch::Approx(ratio).epsilon(1e-12));
  // The table is of the same configuration.
  CHECK(study["rows"][2]["time"].get<double>() / study["rows"][1]["time"].get<double>() ==
        Catch::Approx(ratio).epsilon(1e-12));

  // Another configuration has another answer.
  const nlohmann::json large =
      run(scaling, {"--format", "json", "--set", "local_batch=128"}).json();
  CHECK(large["doubling"]["time_ratio"].get<double>() < ratio - 0.01);
  CHECK_THAT(large["doubling"]["at"].get<std::string>(), ContainsSubstring("local_batch=128"));
}

TEST_CASE_METHOD(CampaignTest, "a column that is tied to a scale moves along where nobody sets it",
                 "[cli][central]") {
  fit({"--intrinsic", "width,local_batch,global_batch", "--categorical", "job", "--extrinsic",
       "num_gpus"});
  CHECK(model()["tied"] ==
        nlohmann::json::parse(R"([{"scale": "num_gpus", "column": "global_batch", "power": 1}])"));
  const ProgramResult moved =
      run({"predict", "model.json", "--like", "runs.csv:2", "--set", "num_gpus=4"});
  CHECK_THAT(moved.errors, ContainsSubstring("'global_batch' moves along: 32"));
  const double together = std::stod(moved.output);
  CHECK(together == predict({"--like", "runs.csv:2", "--set", "num_gpus=4", "global_batch=32"}));
  CHECK(together != predict({"--like", "runs.csv:2", "--set", "num_gpus=4", "global_batch=8"}));
  // scaling and the doubling move it, too.
  const nlohmann::json study =
      run({"scaling", "model.json", "--quiet", "--at", "1,2,4,8", "--format", "json"}).json();
  const auto time_at = [&](double gpus) {
    for (const nlohmann::json& row : study["rows"])
      if (row["scale"] == gpus)
        return row["time"].get<double>();
    return 0.;
  };
  CHECK(time_at(study["doubling"]["to"]) / time_at(study["doubling"]["from"]) ==
        Catch::Approx(study["doubling"]["time_ratio"].get<double>()).epsilon(1e-12));
  CHECK(time_at(4) == Catch::Approx(predict({"--set", "num_gpus=4"})).epsilon(1e-12));
}

TEST_CASE_METHOD(CampaignTest, "lists of values are predicted in all combinations",
                 "[cli][central]") {
  fit({"--coverage", "0.5"});
  const ProgramResult several = run({"predict", "model.json", "--like", "runs.csv:3", "--set",
                                     "num_gpus=1:4:x2", "--set", "width=20:60:+20,64"})
                                    .succeeded();
  const std::vector<Words> rows = csv_cells(several.output);
  REQUIRE(rows.size() == 13);
  CHECK(rows[0] == Words{"width", "job", "local_batch", "num_gpus", "predicted_time_s", "lower",
                         "upper", "in_range"});
  std::size_t line = 1;
  for (const std::string gpus : {"1", "2", "4"})
    for (const std::string width : {"20", "40", "60", "64"}) {
      const Words& cells = rows[line++];
      REQUIRE(cells.size() == 8);
      CHECK(cells[0] == width);
      CHECK(cells[3] == gpus);
      CHECK(std::stod(cells[4]) ==
            predict({"--like", "runs.csv:3", "--set", "num_gpus=" + gpus, "width=" + width}));
      CHECK(std::stod(cells[5]) <= std::stod(cells[4]));
      CHECK(std::stod(cells[4]) <= std::stod(cells[6]));
    }
  CHECK(run({"predict", "model.json", "--set", "job=fast,slow", "--quiet"}).output.find("slow") !=
        std::string::npos);
}

TEST_CASE_METHOD(
    CampaignTest,
    "columns that are no inputs, runs that cannot be taken and values that are none are named",
    "[cli][central]") {
  fit({});
  CHECK(model()["left_out"] ==
        nlohmann::json::parse(R"([{"column": "cores", "because": "constant", "value": "8"},
                        {"column": "global_batch", "because": "identity",
                         "identity": "local_batch * num_gpus",
                         "factors": [{"column": "local_batch", "power": 1},
                                     {"column": "num_gpus", "power": 1}]}])"));
  const auto complaint = [&](const Words& arguments, int exit_code) {
    return run({"predict", "model.json"}, arguments).refused(exit_code);
  };
  CHECK_THAT(complaint({"--set", "cores=16"}, 2),
             ContainsSubstring("--set 'cores=16': the model has no input 'cores'; in the runs "
                               "behind the model it has the value 8 in every row"));
  CHECK_THAT(complaint({"--like", "runs.csv:1"}, 2),
             ContainsSubstring("runs.csv has no run in line 1; its runs are in lines 2 to 49\n"));
  CHECK_THAT(complaint({"--like", "runs.csv"}, 2),
             ContainsSubstring("--like 'runs.csv': expected RUNS.csv:LINE, such as runs.csv:41\n"));
  CHECK_THAT(complaint({"--like", "absent.csv:2"}, 3), ContainsSubstring("cannot read absent.csv"));
  CHECK_THAT(complaint({"--set", "num_gpu=2"}, 2), ContainsSubstring("did you mean 'num_gpus'?"));
  CHECK_THAT(complaint({"--set", "job=fast,slw"}, 2), ContainsSubstring("has no level 'slw'"));
  for (const std::string text :
       {"", "1,,2", "8:1:x2", "1:8:x1", "1:8:+0", "1:8", "1:8:2", "1:1e9:+1", "0,1"}) {
    INFO(text);
    CHECK_THAT(complaint({"--set", "num_gpus=" + text}, 2),
               ContainsSubstring("--set 'num_gpus=" + text + "': expected a number > 0, a list"));
  }
  CHECK_THAT(complaint({"--set", "num_gpus=1:2000:+1", "width=1:2000:+1"}, 2),
             ContainsSubstring("more than 1000000 combinations"));

  // A model file without a central run is used as it was.
  nlohmann::json older = model();
  older.erase("central_run");
  older.erase("left_out");
  const std::string file = write("older.json", older.dump());
  CHECK_THAT(run({"predict", file, "--set", "num_gpus=2"}).failed(2),
             ContainsSubstring("the model also needs 'width', 'job' and 'local_batch'; "
                               "add --set width=VALUE and so on"));
  CHECK_THAT(run({"scaling", file, "--column", "num_gpus"}).errors,
             ContainsSubstring("held at the middle of the measured ranges, unless --set: width=32 "
                               "job=fast local_batch=32\n"));
  CHECK_THAT(run({"show", file}).errors, ContainsSubstring("(at the median configuration)"));
}
