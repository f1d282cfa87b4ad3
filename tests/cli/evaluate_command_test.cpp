#include <string>
#include <vector>

#include "support/csv_text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

class EvaluateTest : public SampleModelTest {
 public:
  EvaluateTest() {
    write("runs.csv", "filters,activation,workers,time_s\n4,relu,2,4\n4,tanh,2,5\n");
    std::string slower = sample_model();
    slower.replace(slower.find("\"C\": 0.125"), 10,
                   "\"C\": 0.625");  // half a second more everywhere
    write("slower.json", slower);
  }
  ProgramResult run(const Words& arguments) const {
    return ProgramTest::run({"evaluate", "model.json"}, arguments);
  }
};

}  // namespace

TEST_CASE_METHOD(EvaluateTest, "evaluate prints metrics in several formats", "[cli]") {
  const ProgramResult result = run({"runs.csv"}).succeeded();
  CHECK(result.output ==
        "rows  MAE [s]   MAPE  SMAPE  MSE [s^2]  RMSE [s]     R2\n"
        "   2    0.375  8.1 %  8.3 %     0.1562    0.3953  0.375\n");
  CHECK(result.errors.empty());

  // JSON has the names of model.json, and names the model and the data.
  const nlohmann::json document = run({"runs.csv", "--format", "json"}).json();
  CHECK(document["schema"] == "perfmodel/evaluation");
  CHECK(document["target"]["column"] == "time_s");
  CHECK(document["model"]["file"] == "model.json");
  CHECK(document["model"]["created_by"] == "perfmodel 0.1.0");
  CHECK(document["data"]["file"] == "runs.csv");
  // sha256sum of "filters,activation,workers,time_s\n4,relu,2,4\n4,tanh,2,5\n"
  CHECK(document["data"]["sha256"] ==
        "155e7f2644eb1f92ee211d84a84092c540d23eb79b43e7d1012e41402436a2d8");
  const nlohmann::json& metrics = document["metrics"];
  CHECK(metrics["rows"] == 2);
  CHECK(metrics["mae"] == 0.375);
  CHECK(metrics["mape_percent"].get<double>() == Catch::Approx(8.125));
  CHECK(metrics["mse"] == 0.15625);
  CHECK(metrics["r2"] == 0.375);

  CHECK(run({"runs.csv", "--format", "csv"})
            .output.starts_with("rows,mae,mape_percent,smape_percent,mse,rmse,r2\n2,0.375,8.125,"));
  CHECK(run({"runs.csv", "--format", "md"}).output ==
        "| rows | MAE [s] | MAPE | SMAPE | MSE [s^2] | RMSE [s] | R2 |\n"
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| 2 | 0.375 | 8.1 % | 8.3 % | 0.1562 | 0.3953 | 0.375 |\n");

  // The residual of every run, on request.
  CHECK(run({"runs.csv", "--residuals", "residuals.csv"}).succeeded().output == result.output);
  CHECK(read("residuals.csv") ==
        "line,measured,predicted,error,error_percent\n2,4,4.25,0.25,6.25\n3,5,4.5,-0.5,-10\n");
  CHECK(run({"runs.csv", "--residuals", "-"}).failed(2) ==
        "perfmodel: error: the metrics go to standard output; write --residuals to a file\n"
        "See 'perfmodel evaluate --help'.\n");
}

TEST_CASE_METHOD(EvaluateTest, "the time may have another name in the file", "[cli]") {
  write("renamed.csv", "filters,activation,workers,seconds\n4,relu,2,4\n4,tanh,2,5\n");
  const ProgramResult renamed = run({"renamed.csv", "--target", "seconds"});
  CHECK(renamed.output == run({"runs.csv"}).output);
  CHECK(renamed.errors.empty());
  write("ms.csv", "filters,activation,workers,time_ms\n4,relu,2,4\n4,tanh,2,5\n");
  CHECK(run({"ms.csv", "--target", "time_ms"}).errors ==
        "perfmodel: warning: 'time_ms' is in ms, by its name, and the model in s: the errors "
        "compare the numbers without conversion\n");
}

TEST_CASE_METHOD(EvaluateTest, "bias, rows and failed runs are gates", "[cli]") {
  // Measured over predicted are 4 / 4.25 and 5 / 4.5; the upper of two values is the median.
  const double bias = 100 * (5 / 4.5 - 1);
  write("failed.csv",
        "filters,activation,workers,time_s\n4,relu,2,4\n4,tanh,2,5\n4,relu,2,CUDA OOM\n"
        "4,relu,2,skipped\n4,relu,2,torch.OutOfMemoryError\n");
  const ProgramResult result =
      run({"failed.csv", "--failed", "drop", "--format", "json", "--fail-if", "bias>11",
           "--fail-if", "bias>12", "--fail-if", "rows<3", "--fail-if", "failed>3"});
  CHECK(result.exit_code == 4);
  const nlohmann::json document = nlohmann::json::parse(result.output);
  CHECK(document["bias_percent"] == Catch::Approx(bias));
  std::vector<bool> fired;
  for (const nlohmann::json& gate : document["gates"])
    fired.push_back(gate["fired"]);
  CHECK(fired == std::vector<bool>{true, false, true, false});
  CHECK(document["gates"][0]["value"] == Catch::Approx(bias));
  CHECK(document["gates"][3]["value"] == 3);
}

TEST_CASE_METHOD(EvaluateTest,
                 "evaluate says how far a model has moved from a baseline, and gates judge it",
                 "[cli]") {
  const ProgramResult result = run({"runs.csv", "--baseline", "slower.json"}).succeeded();
  // Predicted 4.25 and 4.5 now, 4.75 and 5 before; measured as 4 and 5.
  CHECK(result.output ==
        "model        rows  MAE [s]          MAPE          SMAPE  MSE [s^2]  RMSE [s]      R2\n"
        "model.json      2    0.375         8.1 %          8.3 %     0.1562    0.3953   0.375\n"
        "slower.json     2    0.375         9.4 %          8.6 %     0.2812    0.5303  -0.125\n"
        "drift                 +0 %  -1.25 points  -0.278 points   -44.44 %  -25.46 %    +0.5\n"
        "\n"
        "predictions differ by 10.26 % in the mean\n");
  const nlohmann::json document =
      run({"runs.csv", "--baseline", "slower.json", "--format", "json"}).json();
  CHECK(document["baseline"]["file"] == "slower.json");
  CHECK(document["baseline"]["drift"]["mape_drift"] == -1.25);
  CHECK(document["baseline"]["metrics"]["mae"] == 0.375);

  CHECK(run({"runs.csv", "--baseline", "slower.json", "--fail-if", "prediction_drift>5",
             "--fail-if", "mape_drift>0", "--fail-if", "r2_drift>0.4"})
            .failed(4) ==
        "perfmodel: error: --fail-if 'prediction_drift>5' holds on 2 rows: prediction_drift is "
        "10.263157894736842; --fail-if 'r2_drift>0.4' holds on 2 rows: r2_drift is 0.5\n");
  CHECK(run({"runs.csv", "--fail-if", "mape_drift>2"}).failed(2) ==
        "perfmodel: error: --fail-if 'mape_drift>2': there is nothing to drift from; pass "
        "--baseline OLD.json\n"
        "See 'perfmodel evaluate --help'.\n");
}

TEST_CASE_METHOD(EvaluateTest, "a gate on drift fires only where other runs would say the same",
                 "[cli]") {
  std::string asked = "filters,activation,workers\n";
  for (int filters = 4; filters < 24; ++filters)
    asked += csv_row(filters, "relu", 2);
  write("asked.csv", asked);
  const auto predicted_by = [&](const std::string& model) {
    const auto rows = csv_cells(ProgramTest::run({"predict", model, "asked.csv"}).output);
    CHECK(rows[0] == Words{"filters", "activation", "workers", "predicted_time_s", "in_range"});
    return rows;
  };
  const auto now = predicted_by("model.json");
  const auto old = predicted_by("slower.json");
  REQUIRE(now.size() == 21);
  // The first runs are as the old model says, the others as the new one does.
  const auto judged = [&](std::size_t as_old) {
    std::string runs = "filters,activation,workers,time_s\n";
    for (std::size_t row = 1; row < now.size(); ++row)
      runs += csv_row(row + 3, "relu", "2",
                      std::to_string(std::stod(row <= as_old ? old[row][3] : now[row][3])));
    write("many.csv", runs);
    return run(
        {"many.csv", "--baseline", "slower.json", "--fail-if", "mape_drift>1", "--format", "json"});
  };
  const ProgramResult open = judged(10);
  CHECK(open.exit_code == 0);
  CHECK_THAT(
      open.errors,
      ContainsSubstring("--fail-if 'mape_drift>1' holds, but not for certain: mape_drift is") &&
          ContainsSubstring("(95 % interval "));
  const nlohmann::json gate = nlohmann::json::parse(open.output)["gates"][0];
  CHECK(gate["condition"] == "mape_drift>1");
  CHECK(gate["value"].get<double>() > 1);
  CHECK(gate["interval"]["lower"].get<double>() < 1);
  CHECK(gate["fired"] == false);

  const ProgramResult certain = judged(20);
  CHECK(certain.exit_code == 4);
  CHECK_THAT(certain.errors, ContainsSubstring("--fail-if 'mape_drift>1' holds on 20 rows"));
  const nlohmann::json document = nlohmann::json::parse(certain.output);
  CHECK(document["gates"][0]["fired"] == true);
  CHECK(document["gates"][0]["interval"]["lower"].get<double>() > 1);
  CHECK(document["baseline"]["intervals"]["mape_drift"] == document["gates"][0]["interval"]);
}

TEST_CASE_METHOD(ProgramTest, "a baseline may read numbers as levels", "[cli]") {
  const std::string runs = csv_grid(
      "batch,gpus,time_s", {1, 2, 4}, {1, 2, 4},
      [](int batch, int gpus) { return std::to_string(1. * batch * batch / gpus + 0.01 * batch); });
  write("runs.csv", runs + "4,8,0\n");  // and one that failed
  const Words fit = {"fit", "runs.csv", "--failed", "drop", "--extrinsic", "gpus", "-o"};
  run(fit, {"numbers.json"}).succeeded();
  run(fit, {"levels.json", "--categorical", "batch"}).succeeded();
  const auto judged = [&](const Words& arguments) {
    return run(arguments, {"--failed", "drop", "--format", "json"}).json();
  };
  CHECK(judged({"evaluate", "numbers.json", "runs.csv", "--baseline",
                "levels.json"})["baseline"]["metrics"] ==
        judged({"evaluate", "levels.json", "runs.csv"})["metrics"]);
  program_options.input = runs;
  CHECK_THAT(run({"evaluate", "numbers.json", "-", "--baseline", "levels.json"}).failed(2),
             ContainsSubstring("the models read other columns as texts; pass RUNS.csv as a file"));
}

TEST_CASE_METHOD(ProgramTest, "evaluate says that an outlier may have bent the model", "[cli]") {
  const auto judged = [&](int outlier, double factor, const std::string& format) {
    std::string csv = "n,time_s\n";
    for (const int n : {64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048})
      csv += csv_row(n, std::to_string(0.1 * n * (n >= outlier ? factor : 1)));
    write("runs.csv", csv);
    CHECK(run({"fit", "runs.csv", "--extrinsic", "n", "-o", "model.json"}).exit_code == 0);
    return run({"evaluate", "model.json", "runs.csv", "--outliers", "3", "--format", format})
        .succeeded()
        .output;
  };
  const std::string words =
      "an outlier may have bent it, so that the runs beside it stand out;\ncompare with the "
      "outliers of another form, as of fit --expression auto\n";
  // Eq. (4) has a power that meets the last run, and misses the others.
  CHECK_THAT(judged(2048, 40, "text"), ContainsSubstring(words));
  CHECK_THAT(judged(2048, 40, "markdown"), ContainsSubstring("may have bent it"));
  CHECK(nlohmann::json::parse(judged(2048, 40, "json")).at("may_be_bent") == true);
  CHECK(nlohmann::json::parse(judged(1024, 5, "json")).at("may_be_bent") == true);
  // A growth that it has.
  CHECK_THAT(judged(4096, 1, "text"), !ContainsSubstring("bent"));
  CHECK(nlohmann::json::parse(judged(4096, 1, "json")).at("may_be_bent") == false);
}

namespace {

/// Runs of three nets, of which one takes `factor` times as long as at first. Their noise, of 2 %,
/// depends on `night`.
std::string nets_of_night(int night, double factor) {
  int drawn = 97 * night;
  return csv_grid("net,gpus,batch,time_s", {"bert", "gpt", "resnet"}, {1, 2, 4, 8}, {8, 16, 32},
                  [&](const std::string& net, int gpus, int batch) {
                    drawn = (drawn * 57 + 41) % 1009;
                    const double cost = net == "bert" ? 1 : net == "gpt" ? 3 : 0.5;
                    return cost * (net == "gpt" ? factor : 1) * (1 + 2.0 * batch / gpus) *
                           (1 + 0.07 * (drawn / 1009.0 - 0.5));
                  });
}

}  // namespace

TEST_CASE_METHOD(ProgramTest, "one of three nets that slows fires a gate and leads the page",
                 "[cli][report]") {
  write("then.csv", nets_of_night(1, 1));
  write("slow.csv", nets_of_night(2, 1.25));
  write("good.csv", nets_of_night(3, 1));
  const Words multi = {"--expression", "multi", "--terms", "2"};
  run({"fit", "then.csv", "-o", "then.json"}, multi).succeeded();
  run({"fit", "slow.csv", "--split", "80:20", "-o", "now.json"}, multi).succeeded();
  const Words judge = {"evaluate", "then.json", "slow.csv"};
  CHECK(run(judge, {"--fail-if", "bias>5"}).exit_code == 0);
  const ProgramResult fired = run(judge, {"--fail-if", "any.bias>10"});
  CHECK_THAT(fired.failed(4), ContainsSubstring("holds on the rows of net = gpt: any.bias is 2"));
  CHECK_THAT(fired.output, ContainsSubstring("\n  net = gpt: 2") &&
                               ContainsSubstring(": drift, or another machine\n  all others: "));
  const nlohmann::json document = run(judge, {"--format", "json"}).json();
  REQUIRE(document["biased_levels"].size() == 1);
  CHECK(document["biased_levels"][0]["level"] == "gpt");
  CHECK(document["biased_levels"][0]["bias_percent"].get<double>() == Catch::Approx(25).margin(4));
  const ProgramResult good = run({"evaluate", "then.json", "good.csv", "--fail-if", "any.bias>5"});
  CHECK_THAT(good.succeeded().output, !ContainsSubstring("drift"));
  const std::string page =
      run({"report", "then.json", "now.json", "slow.csv", "--format", "md"}).succeeded().output;
  CHECK(page.find("Do the runs take as long as before?") < page.find("Is it better"));
  CHECK_THAT(page, ContainsSubstring("29 of 36 rows were used for the fit: the other 7"));
  CHECK_THAT(run({"report", "then.json", "now.json", "good.csv", "--format", "md"}).output,
             !ContainsSubstring("Do the runs take as long as before?"));
  // A model of each net.
  run({"fit", "then.csv", "--by", "net", "-o", "all.jsonl"}).succeeded();
  CHECK(run({"evaluate", "all.jsonl", "good.csv", "--fail-if", "any.bias>10"}).exit_code == 0);
  CHECK_THAT(run({"evaluate", "all.jsonl", "slow.csv", "--fail-if", "any.bias>10"}).failed(4),
             ContainsSubstring("net=gpt"));
  // Where all inputs are set, none is held.
  CHECK_THAT(run({"predict", "all.jsonl", "--set", "gpus=8", "batch=16"}).succeeded().errors,
             !ContainsSubstring("held at"));
  CHECK_THAT(run({"predict", "all.jsonl", "--set", "gpus=8"}).succeeded().errors,
             ContainsSubstring("held at"));
  // One unit is not that of two targets.
  CHECK_THAT(run({"fit", "then.csv", "--target", "time_s,batch", "--target-unit", "MB"}).failed(2),
             ContainsSubstring("--target-unit MB would label 2 targets"));
  // Two files are judged as one.
  CHECK_THAT(run({"evaluate", "then.json", "slow.csv", "then.csv"}).succeeded().errors,
             ContainsSubstring("36 of 72 rows were used for the fit: the other 36 are judged"));
  CHECK(run({"evaluate", "then.json", "slow.csv", "then.csv"}).output == run(judge).output);
  // What cannot be judged is no drift.
  run({"fit", "then.csv", "--coverage", "none", "-o", "none.json"}).succeeded();
  CHECK_THAT(run({"evaluate", "none.json", "good.csv", "--fail-if", "coverage<0.5"}).failed(2),
             ContainsSubstring("none.json has no intervals"));
}

TEST_CASE_METHOD(SampleRunsTest, "evaluate says that it judges the runs of the fit", "[cli]") {
  run({"fit", "runs.csv", "--starts", "1", "--coverage", "none", "-o", "model.json"}).succeeded();
  const std::vector<std::string> lines = lines_of(read("runs.csv"));
  const std::string all = std::to_string(lines.size() - 1);
  CHECK_THAT(run({"evaluate", "model.json", "runs.csv"}).errors,
             ContainsSubstring(all + " of " + all +
                               " rows were used for the fit: errors on other "
                               "runs may be larger"));
  // By their content, in another order and among others.
  std::string fresh = lines[0] + "\n";
  std::string joined = fresh;
  for (std::size_t row = lines.size() - 1; row > 0; --row) {
    joined += lines[row] + "\n";
    if (row <= 5) {
      const std::size_t comma = lines[row].rfind(',');
      const std::string slower = lines[row].substr(0, comma + 1) +
                                 std::to_string(1.1 * std::stod(lines[row].substr(comma + 1)));
      joined += slower + "\n";
      fresh += slower + "\n";
    }
  }
  write("joined.csv", joined);
  write("fresh.csv", fresh);
  const ProgramResult others = run({"evaluate", "model.json", "joined.csv"}).succeeded();
  CHECK_THAT(others.errors,
             ContainsSubstring(all + " of " + std::to_string(lines.size() + 4) +
                               " rows were used for the fit: the other 5 are judged"));
  const ProgramResult alone = run({"evaluate", "model.json", "fresh.csv"}).succeeded();
  CHECK(others.output == alone.output);
  CHECK_THAT(alone.errors, !ContainsSubstring("were used for the fit"));
  CHECK_THAT(run({"report", "model.json", "joined.csv", "--format", "md"}).output,
             ContainsSubstring("rows were used for the fit: the other 5 are judged"));
}

TEST_CASE_METHOD(SampleRunsTest, "rows of the fit that are listed are not rows without a time",
                 "[cli]") {
  run({"fit", "runs.csv", "--split", "60:20:20", "-o", "model.json"}).succeeded();
  const Words evaluate = {"evaluate", "model.json", "runs.csv"};
  for (const Words& listed : {Words{"--outliers", "1"}, {"--residuals", "residuals.csv"}}) {
    CAPTURE(listed);
    const ProgramResult text = run(evaluate, listed).succeeded();
    CHECK_THAT(text.errors, ContainsSubstring("rows were used for the fit"));
    CHECK_THAT(text.output, !ContainsSubstring("which have no predicted time"));
    CHECK(run(evaluate, both_of(listed, {"--format", "json"})).json()["data"]["rows_left_out"] ==
          0);
    // So that conditions can be judged.
    run(evaluate, both_of(listed, {"--fail-if", "mape>1000"})).succeeded();
  }
}
