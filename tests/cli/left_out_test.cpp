#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using perfmodel::to_text;

namespace {

/// Runs of a known law with a column more; each run has noise of its own.
template <class Value>
std::string runs_with(const std::string& header, Value value) {
  std::string csv = "filters,gpus,batch_size," + header + "time_s\n";
  for (int row = 0; row < 48; ++row) {
    const double filters = 8 << (row % 3);
    const double gpus = 1 << (row / 3 % 4);
    const double batch = 32 << (row / 12 % 4);
    const double time =
        0.02 * std::sqrt(filters) * std::pow(gpus, -0.6) * batch * (1 + 0.1 * std::sin(9. * row));
    csv += csv_row(filters, gpus, batch, value(row, time) + to_text(time));
  }
  return csv;
}

}  // namespace

TEST_CASE_METHOD(ProgramTest,
                 "a rate that was left in the file changes no constant, and is a leak where it is "
                 "kept on request",
                 "[cli][left-out]") {
  write("clean.csv", runs_with(
                         "", [](int, double) { return std::string(); }));
  write("rates.csv", runs_with("steps_per_s,gpu_util,", [](int row, double time) {
          return to_text(1 / time) + "," + to_text(90 + 5 * std::sin(5. * row)) + ",";
        }));
  const nlohmann::json clean = model_of({"clean.csv"});
  const nlohmann::json rates = model_of({"rates.csv"});
  CHECK(rates["constants"] == clean["constants"]);
  CHECK(rates["metrics"] == clean["metrics"]);
  CHECK_THAT(said(), ContainsSubstring("Column 'steps_per_s' is 1 / time_s, up to a factor, in "
                                       "every row."));
  CHECK_THAT(said(),
             ContainsSubstring("Columns 'steps_per_s' and 'gpu_util' look like results of the "
                               "runs, not inputs, and are left out; pass --intrinsic "
                               "steps_per_s,gpu_util,filters to keep them."));
  const auto card_of_trust = [&](const nlohmann::json& model) {
    write("model.json", model.dump());
    const std::string page = run({"report", "model.json", "rates.csv"}).succeeded().output;
    const auto at = page.find("How far can it be trusted?");
    return page.substr(page.rfind("<div class=", at), 600);
  };
  CHECK_THAT(card_of_trust(rates), StartsWith("<div class=\"card\">"));
  // As the notice says: the column is back, and with it what it gives away.
  const nlohmann::json kept =
      model_of({"rates.csv", "--intrinsic", "gpu_util,steps_per_s,filters"});
  CHECK_THAT(card_of_trust(kept),
             StartsWith("<div class=\"card alarm\">") &&
                 ContainsSubstring("an input is computed from the measured time"));
  CHECK(kept["constants"]["intrinsic"].size() == 3);
  CHECK(kept["constants"] != clean["constants"]);
  // It is said where people look at the errors, and gpu_util, of which no law is known, is no leak.
  const auto leaks = [](const nlohmann::json& model) {
    std::vector<std::string> out;
    for (const nlohmann::json& warning : model["warnings"])
      if (warning["kind"] == "leak")
        out.push_back(warning["message"]);
    return out;
  };
  const std::string told =
      "column 'steps_per_s' is 1 / time_s, up to a factor, in every row: these errors do not "
      "measure the model: the time to predict is one of its inputs";
  CHECK(leaks(kept) == std::vector<std::string>{told});
  CHECK_THAT(said(), ContainsSubstring("warning: " + told));
  CHECK(leaks(rates).empty());
}

TEST_CASE_METHOD(ProgramTest, "a limit on the time that people set stays an input",
                 "[cli][left-out]") {
  write("runs.csv",
        runs_with("timeout_s,", [](int row, double) { return to_text(2. + row / 2 % 4) + ","; }));
  CHECK(model_of({"runs.csv"})["constants"]["intrinsic"].size() == 2);
}

TEST_CASE_METHOD(ProgramTest, "a product of columns changes no constant", "[cli][left-out]") {
  write("clean.csv", runs_with(
                         "", [](int, double) { return std::string(); }));
  write("total.csv", runs_with("global_batch,", [](int row, double) {
          return std::to_string((1 << (row / 3 % 4)) * (32 << (row / 12 % 4))) + ",";
        }));
  const nlohmann::json clean = model_of({"clean.csv"});
  const nlohmann::json total = model_of({"total.csv"});
  CHECK(total["constants"] == clean["constants"]);
  CHECK_THAT(said(), ContainsSubstring("Column 'global_batch' is batch_size * gpus in every row "
                                       "and is left out; name it in --intrinsic or --extrinsic "
                                       "to keep it."));
  // A flag wins: of the three, the one that no flag names follows from the others.
  const nlohmann::json asked = model_of({"total.csv", "--extrinsic", "gpus,global_batch"});
  CHECK(asked["constants"]["extrinsic"].size() == 2);
  CHECK_THAT(said(), ContainsSubstring("Column 'batch_size' is global_batch / gpus in every row"));
}

TEST_CASE_METHOD(ProgramTest, "a column of repetitions makes replicates that folds keep together",
                 "[cli][left-out]") {
  std::string csv = "filters,gpus,repetition,date,time_s\n";
  std::string group = "filters,gpus,configuration,time_s\n";
  for (int row = 0; row < 36; ++row) {
    const double filters = 8 << (row % 4);
    const double gpus = 1 << (row / 4 % 3);
    const std::string time =
        to_text(std::sqrt(filters) / gpus * (1 + 0.05 * std::sin(40. * row))) + "\n";
    const std::string setting = to_text(filters) + "," + to_text(gpus) + ",";
    csv += setting + std::to_string(1 + row / 12) + ",2024-05-0" + std::to_string(1 + row / 12) +
           "," + time;
    group += setting + "c" + std::to_string(row % 12) + "," + time;
  }
  write("runs.csv", csv);
  write("grouped.csv", group);
  const nlohmann::json model = model_of({"runs.csv", "--folds", "4"});
  CHECK_THAT(said(), ContainsSubstring("Column 'repetition' numbers repetitions"));
  CHECK_THAT(said(), ContainsSubstring("Column 'date' names runs"));
  CHECK(model["constants"]["intrinsic"].size() == 1);
  CHECK(model["noise_floor"]["groups"] == 12);
  CHECK(model["noise_floor"]["rows"] == 36);
  // The same parts are held out as where each configuration has a name to be grouped by.
  const nlohmann::json grouped = model_of(
      {"grouped.csv", "--ignore", "configuration", "--folds", "4", "--group-by", "configuration"});
  CHECK(model["cross_validation"]["metrics"] == grouped["cross_validation"]["metrics"]);
  // Taken as levels, they are configurations of their own.
  const nlohmann::json levels = model_of({"runs.csv", "--categorical", "repetition,date"});
  CHECK(levels["noise_floor"].is_null());
}

TEST_CASE_METHOD(ProgramTest, "runs of different machines are no repeats of each other",
                 "[cli][left-out]") {
  const auto noise_with = [&](const std::string& name, const std::string& cell) {
    std::string csv = name + ",vcpu,time_s\n";
    for (int row = 0; row < 12; ++row)
      csv += cell + std::to_string(row * 7919 % 1000) + "," + std::to_string(2 << row / 4) + "," +
             to_text(10 * (1 + 0.3 * std::sin(3. * row)) / (2 << row / 4)) + "\n";
    write("runs.csv", csv);
    return model_of({"runs.csv"})["noise_floor"];
  };
  CHECK(noise_with("instance", "m5.x").is_null());
  CHECK(noise_with("log", "run")["rows"] == 12);
}

TEST_CASE_METHOD(ProgramTest, "an option whose name begins like an exit code leaves no run out",
                 "[cli][left-out]") {
  const auto rows_with = [&](const std::string& name) {
    std::string csv = name + ",threads,time_s\n";
    for (int row = 0; row < 12; ++row)
      csv += std::to_string(row % 2) + "," + std::to_string(1 << row / 2 % 3) + "," +
             to_text((20. + 5 * (row % 2)) / (1 << row / 2 % 3) + 0.01 * row) + "\n";
    write("runs.csv", csv);
    return model_of({"runs.csv"})["metrics"]["train"]["rows"].get<int>();
  };
  CHECK(rows_with("rc_lookahead_20") == 12);
  CHECK_THAT(said(), !ContainsSubstring("failed and are left out"));
  CHECK(rows_with("exit_code") == 6);
}

TEST_CASE_METHOD(ProgramTest, "runs whose state says that they failed are left out",
                 "[cli][left-out]") {
  write("runs.csv", "nodes,status,time_s\n1,ok,100\n2,ok,52\n4,failed,1.2\n8,ok,15\n16,ok,9\n");
  const nlohmann::json model = model_of({"runs.csv"});
  CHECK_THAT(said(),
             ContainsSubstring("Column 'status' is taken as the state in which runs ended"));
  CHECK_THAT(said(), ContainsSubstring("1 of 5 runs failed and are left out"));
  CHECK(model["reading"]["status"] == "status");
  // As an input it has two levels.
  const nlohmann::json levels = model_of({"runs.csv", "--categorical", "status"});
  CHECK(levels["constants"]["categorical"].size() == 1);
  CHECK_THAT(said(), !ContainsSubstring("failed and are left out"));
}

TEST_CASE_METHOD(ProgramTest, "a model keeps how probable it is that a column is no input",
                 "[cli][left-out][model-json]") {
  write("kv.csv",
        "prompt,b,kv,t_s\n512,1,540,.742\n512,2,1100,1.108\n512,4,2160,1.818\n"
        "4096,1,4160,3.112\n4096,2,8200,5.868\n4096,4,16400,11.349\n");
  const nlohmann::json model = model_of({"kv.csv"});
  CHECK_THAT(said(), ContainsSubstring("Column 'kv' may be a result of the runs (22 %)"));
  REQUIRE(model["doubts"].size() == 3);
  for (const nlohmann::json& doubt : model["doubts"]) {
    const double none = doubt["result"].get<double>() + doubt["label"].get<double>();
    CHECK(none <= 1);
    if (doubt["column"] == "kv")
      CHECK(none == Catch::Approx(0.22).margin(0.005));
  }
  // Older files lack them.
  nlohmann::json older = model;
  older.erase("doubts");
  write("older.json", older.dump());
  run({"show", "older.json"}).succeeded();
  nlohmann::json wrong = model;
  wrong["doubts"][0]["result"] = 2;
  write("wrong.json", wrong.dump());
  CHECK_THAT(run({"show", "wrong.json"}).failed(3), ContainsSubstring("doubts[0].result"));
  // What a flag says is not doubted.
  CHECK_FALSE(model_of({"kv.csv", "--intrinsic", "prompt,b,kv"}).contains("doubts"));
}
