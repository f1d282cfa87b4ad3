// Runs that were ended at a limit: how they are told from others, and what refuses them.

#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

const Words kCensored = {"runs.csv", "--failed", "censor", "--extrinsic",
                         "gpus",     "--status", "exit"};

/// 60 runs of t = 20 size / gpus^0.7 with 10 % of noise, ended at 50 with `word` as their time; the
/// last column has the exit codes, 124 for these and 1 for a run that failed.
std::string runs_until_50(const std::string& word, double longest = 50) {
  perfmodel::RandomStream random(7, "runs until 50");
  std::string text = "size,gpus,time_s,limit,exit\n";
  for (int run = 0; run < 60; ++run) {
    const int size = 1 << run % 4;
    const int gpus = 1 << run / 4 % 5;
    const double time = 20 * size * std::pow(gpus, -0.7) * std::exp(0.1 * random.normal());
    const bool fails = run == 8;
    const bool is_cut = time >= longest && !fails;
    text += csv_row(size, gpus,
                    fails    ? "7"
                    : is_cut ? word
                             : perfmodel::to_text(time),
                    longest,
                    fails    ? "1"
                    : is_cut ? "124"
                             : "0");
  }
  return text;
}

nlohmann::json without_source(nlohmann::json model) {
  for (const char* field : {"provenance", "left_out", "reading"})
    model.erase(field);
  model["cut"].erase("limit");
  return model;
}

}  // namespace

TEST_CASE_METHOD(ProgramTest, "limits of cells, of a column and for all runs give one model",
                 "[cli][cut]") {
  write("runs.csv", runs_until_50("timeout"));
  const nlohmann::json by_column = model_of(kCensored, {"--seed", "3", "--limit", "limit"});
  CHECK_THAT(said(), ContainsSubstring("of 60 runs were cut off at their 'limit'") &&
                         ContainsSubstring("of them cut off\n") &&
                         ContainsSubstring("\"failed\" in 1 (line 10)"));
  CHECK(by_column["cut"]["limit"] == "limit");
  CHECK(by_column["cut"]["rows"] == by_column["provenance"]["data"]["rows"].get<int>() -
                                        by_column["metrics"]["train"]["rows"].get<int>());
  CHECK(by_column["cut"]["rows"] > 8);
  CHECK(by_column["cut"]["deviation"] == 0);
  const nlohmann::json by_value =
      model_of(kCensored, {"--seed", "3", "--limit", "50s", "--ignore", "limit"});
  CHECK(by_value["cut"]["limit"] == "50s");
  CHECK(without_source(by_value) == without_source(by_column));
  write("runs.csv", runs_until_50("> 50"));
  const nlohmann::json by_cells = model_of(kCensored, {"--seed", "3", "--ignore", "limit"});
  CHECK(by_cells["cut"]["limit"] == "");
  CHECK(without_source(by_cells) == without_source(by_column));
  CHECK(by_column["scaling_powers"]["gpus"].get<double>() == Approx(-0.7).margin(0.1));
}

TEST_CASE_METHOD(
    ProgramTest,
    "a fit of logarithms keeps the deviation of runs that were cut off, evaluate leaves them out",
    "[cli][cut]") {
  write("runs.csv", runs_until_50(">50"));
  const nlohmann::json model =
      model_of(kCensored, {"--ignore", "limit", "--loss", "rmsle", "--folds", "4", "--split",
                           "60:20:20", "--bootstrap", "20", "-o", "-"});
  CHECK(model["cut"]["deviation"].get<double>() == Approx(0.1).margin(0.04));
  CHECK(model["scaling_powers"]["gpus"].get<double>() == Approx(-0.7).margin(0.1));
  for (const std::string part : {"train", "validation", "test"})  // of finished runs alone
    CHECK(model["metrics"][part]["rows"].get<int>() < (part == "train" ? 35 : 12));

  write("model.json", model.dump());
  CHECK_THAT(run({"evaluate", "model.json", "runs.csv", "--failed", "refuse"}).failed(3),
             ContainsSubstring("\">50\" is not a number") && ContainsSubstring("--failed drop"));
  CHECK_THAT(run({"evaluate", "model.json", "runs.csv", "--failed", "drop"}).succeeded().errors,
             ContainsSubstring("failed and are left out: 'time_s' is \">50\""));
}

TEST_CASE_METHOD(ProgramTest,
                 "a file without runs that were cut off gives the model of a plain fit",
                 "[cli][cut]") {
  write("runs.csv", runs_until_50("", 1000));
  nlohmann::json plain = model_of({"runs.csv", "--failed", "drop", "--extrinsic", "gpus",
                                   "--ignore", "limit", "--status", "exit"});
  nlohmann::json censored = model_of(kCensored, {"--limit", "limit"});
  CHECK_FALSE(censored.contains("cut"));
  for (nlohmann::json* model : {&plain, &censored})
    for (const char* field : {"left_out", "reading"})
      model->erase(field);
  plain["provenance"].erase("data");
  censored["provenance"].erase("data");
  CHECK(plain == censored);
}

TEST_CASE_METHOD(ProgramTest, "a bound of runs that were cut off is above that without them",
                 "[cli][cut]") {
  write("runs.csv", runs_until_50("timeout"));
  const nlohmann::json censored = model_of(kCensored, {"--quantile", "0.8", "--limit", "limit"});
  CHECK(censored["bound"]["quantile"] == 0.8);
  CHECK(censored["bound"]["train"]["coverage"].get<double>() >= 0.7);
  CHECK(censored["scaling_powers"]["gpus"].get<double>() == Approx(-0.7).margin(0.15));
}

TEST_CASE_METHOD(ProgramTest, "options that cannot count runs that were cut off are refused",
                 "[cli][cut]") {
  write("runs.csv", runs_until_50("timeout"));
  write("old.json", "{}");
  CHECK_THAT(run({"fit", "runs.csv", "--failed", "drop", "--limit", "limit"}).failed(2),
             ContainsSubstring("--failed censor"));
  CHECK_THAT(run({"fit"}, kCensored).failed(3),
             ContainsSubstring("says that the run was ended at a limit, but not at which") &&
                 ContainsSubstring("pass --limit COL"));
  const Words censor = {"fit", "runs.csv", "--failed", "censor", "--extrinsic", "gpus"};
  CHECK_THAT(run(censor, {"--limit", "wall"}).failed(2), ContainsSubstring("no column 'wall'"));
  CHECK_THAT(run(censor, {"--limit", "limit", "--status", "state"}).failed(2),
             ContainsSubstring("no column 'state'"));
  CHECK_THAT(
      run({"fit", "runs.csv", "--status", "exit", "--failed", "refuse"}).failed(3),
      ContainsSubstring("\"timeout\" is not a number") && ContainsSubstring("--failed drop"));
  for (const Words& other : {Words{"--by", "size"}, Words{"--target", "time_s,limit"},
                             Words{"--throughput-target", "time_s"}, Words{"--prior", "old.json"},
                             Words{"--repeats", "3"}, Words{"--method", "paper"},
                             Words{"--loss", "mse"}, Words{"--l1", "0.1"}, Words{"--l2", "0.1"}}) {
    INFO(other[0]);
    CHECK_THAT(run({"fit", "runs.csv", "--failed", "censor"}, other).failed(2),
               ContainsSubstring("--failed censor"));
  }
  CHECK_THAT(run({"fit", "runs.csv", "--status", "exit", "--by", "size"}).failed(2),
             ContainsSubstring("--status"));
}
