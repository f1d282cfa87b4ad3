// Tables of which nobody said what was measured: the first command answers, and says what it took.

#include <string>
#include <vector>

#include "support/program_fixture.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kPercentiles =
    "machines,gpus_per_machine,p50,p90,p95\n1,1,122,121,121\n1,2,115,114,114\n1,4,111,110,111\n"
    "1,8,110,108,107\n2,8,80,76,76\n";

}  // namespace

TEST_CASE_METHOD(ProgramTest, "the first command fits a table that has only a rate", "[cli]") {
  write("runs.csv", "cores,logs_per_s\n1,128768\n2,256112\n4,516968\n8,940755\n16,1884602\n");
  const nlohmann::json guessed = model_of({"runs.csv"});
  CHECK_THAT(said(), ContainsSubstring(
                         "Column 'logs_per_s' is taken as the measured throughput, by its name."));
  const nlohmann::json named = model_of({"runs.csv", "--throughput-target", "logs_per_s"});
  CHECK(guessed["target"]["throughput"]["column"] == "logs_per_s");
  CHECK(guessed["target"] == named["target"]);
  CHECK(guessed["constants"] == named["constants"]);
}

TEST_CASE_METHOD(ProgramTest, "a gate and the model repeat what was guessed", "[cli]") {
  write("runs.csv", kPercentiles);
  const std::string guess = "Column 'p50' is taken as what was measured; --target names another.";
  const std::string failed =
      run({"fit", "runs.csv", "-o", "model.json", "--fail-if", "mape>0"}).failed(4);
  CHECK_THAT(failed, ContainsSubstring("\n" + guess));
  CHECK(model()["provenance"]["data"]["notices"][0] == guess);
  CHECK_THAT(run({"evaluate", "model.json", "runs.csv", "--fail-if", "mape>0"}).failed(4),
             ContainsSubstring("\n" + guess));
  // Who names the target has nothing guessed.
  const std::string named =
      run({"fit", "runs.csv", "--target", "p50", "-o", "named.json", "--fail-if", "mape>0"})
          .failed(4);
  CHECK_THAT(named, !ContainsSubstring("--target names another"));
  for (const auto& item : model()["left_out"])
    CHECK(item["because"] == "result");
}

TEST_CASE_METHOD(ProgramTest,
                 "what was measured of the runs that failed stands in no way of --failed drop",
                 "[cli]") {
  write("runs.csv",
        "gpus,batch,loss,time_s\n1,16,2.1,10\n2,16,2.2,5.5\n4,16,2.15,3\n1,32,2.3,20\n"
        "2,32,2.4,10.5\n4,32,2.1,6\n1,64,,OOM\n2,64,2.2,20.4\n");
  const std::string refused =
      run({"fit", "runs.csv", "--failed", "refuse", "-o", "model.json"}).failed(3);
  CHECK_THAT(refused, ContainsSubstring("\"OOM\" is not a number"));
  CHECK_THAT(refused, !ContainsSubstring("loss"));
  const nlohmann::json dropped = model_of({"runs.csv", "--failed", "drop"});
  CHECK(dropped["left_out"][0]["column"] == "loss");
}

TEST_CASE_METHOD(ProgramTest, "times of 0.00 s count as half of their last digit", "[cli]") {
  write("runs.csv",
        "params,trials,time_s\n1,10,0.00\n1,100,0.06\n1,1000,2.22\n2,10,0.01\n"
        "2,100,0.11\n2,1000,4.00\n4,10,0.02\n4,100,0.25\n4,1000,8.10\n");
  write("half.csv",
        "params,trials,time_s\n1,10,0.005\n1,100,0.06\n1,1000,2.22\n2,10,0.01\n"
        "2,100,0.11\n2,1000,4.00\n4,10,0.02\n4,100,0.25\n4,1000,8.10\n");
  const nlohmann::json half = model_of({"half.csv"});
  const nlohmann::json zero = model_of({"runs.csv"});
  CHECK_THAT(said(), ContainsSubstring("1 cell of 'time_s' is below its last digit, 0.01"));
  CHECK(zero["constants"] == half["constants"]);
  write("model.json", half.dump());
  CHECK_THAT(run({"evaluate", "model.json", "runs.csv"}).succeeded().errors,
             ContainsSubstring("1 cell of 'time_s' is below its last digit"));
}

TEST_CASE_METHOD(ProgramTest, "a run that is out of memory by another result is so in all of them",
                 "[cli]") {
  std::string runs = "batch,peak_mb,time_s\n";
  for (int batch = 1; batch <= 8; ++batch)
    runs += std::to_string(batch) + "," + std::to_string(1000 + 500 * batch) + "," +
            std::to_string(2 * batch) + "\n";
  write("runs.csv", runs + "9,,OOM\n10,,oom\n");
  const nlohmann::json cut =
      model_of({"runs.csv", "--target", "peak_mb", "--failed", "censor", "--limit", "5200"});
  CHECK_THAT(said(), ContainsSubstring("2 of 10 runs were cut off at 5200 and count as longer"));
  CHECK(cut["metrics"]["train"]["rows"] == 8);  // the errors of those that finished
}
