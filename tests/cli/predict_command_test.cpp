#include <cmath>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

class PredictTest : public SampleModelTest {
 public:
  ProgramResult run(const Words& arguments) const {
    return ProgramTest::run({"predict", "model.json"}, arguments);
  }
};

}  // namespace

TEST_CASE_METHOD(PredictTest, "predict --set prints the time as a plain number, or an object",
                 "[cli]") {
  const Words set = {"--set", "filters=4", "activation=relu", "workers=2"};
  const ProgramResult result = run(set).succeeded();
  CHECK(result.output == "4.25\n");
  CHECK(result.errors.empty());
  CHECK(run({"--set", "workers=2", "--set", "activation=tanh", "--set", "filters=4"}).output ==
        "4.5\n");
  const ProgramResult json = run(both_of(set, {"--json"}));
  CHECK(json.json() == nlohmann::json{{"schema", "perfmodel/prediction"},
                                      {"schema_version", 1},
                                      {"predicted_time_s", 4.25},
                                      {"in_range", true}});
  // Of one configuration --json is what --format json is.
  CHECK(json.output == run(both_of(set, {"--format", "json"})).output);
  program_options.input = sample_model();
  CHECK(ProgramTest::run({"predict", "-"}, set).output == "4.25\n");
}

TEST_CASE_METHOD(PredictTest, "predictions can be printed in every format", "[cli]") {
  const Words set = {"--set", "filters=4,16", "activation=relu", "workers=2"};
  const auto in = [&](const std::string& format) {
    return run(both_of(set, {"--format", format})).succeeded().output;
  };
  // (0.5 * 16 + 0.25) / 2 + 0.125, and the same with 256; filters were measured up to 8.
  const std::string csv =
      "filters,activation,workers,predicted_time_s,in_range\n4,relu,2,4.25,true\n"
      "16,relu,2,64.25,false\n";
  CHECK(run(set).output == csv);
  CHECK(in("csv") == csv);
  const nlohmann::json document = nlohmann::json::parse(in("json"));
  CHECK(document["schema"] == "perfmodel/predictions");
  CHECK(
      document["predictions"] ==
      nlohmann::json{{{"configuration", {{"filters", 4}, {"activation", "relu"}, {"workers", 2}}},
                      {"predicted_time_s", 4.25},
                      {"in_range", true}},
                     {{"configuration", {{"filters", 16}, {"activation", "relu"}, {"workers", 2}}},
                      {"predicted_time_s", 64.25},
                      {"in_range", false}}});
  CHECK(in("text").starts_with("  filters  time_s [s]\n        4        4.25\n"));
  CHECK(in("md").starts_with("| filters | time_s [s] |  |\n| ---: | ---: | --- |\n| 4 | 4.25 |"));
  CHECK(in("latex").find("16 & 64.25 & extrapolated") != std::string::npos);
  // A file stays a file.
  write("configs.csv", "filters,activation,workers\n4,relu,2\n");
  CHECK(run({"configs.csv", "--format", "latex"}).exit_code == 2);
  CHECK(run({"configs.csv", "--format", "csv"}).output == run({"configs.csv"}).output);
}

TEST_CASE_METHOD(PredictTest, "predict adds two columns and leaves all others as they are",
                 "[cli]") {
  write("configs.csv",
        "note,filters,activation,workers\n"
        "\"a, \"\"b\"\"\",4.0,relu,2\n"
        "\n"
        " x ,1e0,\"tanh\",+1\n"
        ",16,relu,8");
  const ProgramResult result = run({"configs.csv"}).succeeded();
  CHECK(result.output ==
        "note,filters,activation,workers,predicted_time_s,in_range\n"
        "\"a, \"\"b\"\"\",4.0,relu,2,4.25,true\n"
        " x ,1e0,\"tanh\",+1,1.375,true\n"
        ",16,relu,8,16.15625,false\n");
  CHECK(result.errors ==
        "perfmodel: warning: column 'filters' leaves the measured range 1 .. 8 in 1 of 3 rows: the "
        "predictions there are extrapolated\n"
        "perfmodel: warning: column 'workers' leaves the measured range 1 .. 4 in 1 of 3 rows: the "
        "predictions there are extrapolated\n");
}

TEST_CASE_METHOD(PredictTest, "predict reads files and standard input, and replaces files",
                 "[cli]") {
  const std::string configs = "filters,activation,workers\n4,relu,2\n";
  const std::string predicted =
      "filters,activation,workers,predicted_time_s,in_range\n4,relu,2,4.25,true\n";
  // Line ends of another system and a byte-order mark are no trouble.
  write("configs.csv",
        "\xEF\xBB\xBF"
        "filters,activation,workers\r\n4,relu,2\r\n");
  CHECK(run({"configs.csv"}).output == predicted);
  program_options.input = configs;
  CHECK(run({"-", "-o", "out.csv"}).succeeded().output.empty());
  CHECK(read("out.csv") == predicted);
  write("configs.csv", configs);
  run({"configs.csv", "-o", "configs.csv"}).succeeded();
  CHECK(read("configs.csv") == predicted);
}

TEST_CASE_METHOD(PredictTest, "an error keeps an old output as it was", "[cli]") {
  write("configs.csv", "filters,activation,workers\n4,gelu,2\n");
  write("out.csv", "old");
  run({"configs.csv", "-o", "out.csv"}).failed(3);
  CHECK(read("out.csv") == "old");
  CHECK(directory().entries() == 3);
}

TEST_CASE_METHOD(ProgramTest, "a prediction that is not the formula's stands beside the formula's",
                 "[cli]") {
  write("runs.csv", "n,time_s\n1,27\n64,49\n128,72\n");
  run({"fit", "runs.csv", "--expression", "auto", "--quiet", "-o", "model.json"}).succeeded();
  const nlohmann::json constants = nlohmann::json::parse(read("model.json"))["constants"];
  const nlohmann::json term = constants["terms"][0];
  const auto formula = [&](double n) {
    return term["a"].get<double>() * std::pow(n, term["q"]["n"].get<double>()) +
           constants["C"].get<double>();
  };
  const auto predicted = [&](const Words& more) {
    return run({"predict", "model.json", "--set"}, more).succeeded();
  };
  const nlohmann::json far = predicted({"n=256", "--json"}).json();
  CHECK(far["trend"].get<double>() == Approx(formula(256)));
  CHECK(far["trend"].get<double>() * far["process"].get<double>() ==
        Approx(far["predicted_time_s"].get<double>()));
  const std::string csv = predicted({"n=64,256"}).output;
  CHECK_THAT(csv, StartsWith("n,predicted_time_s,lower,upper,in_range,determined,formula\n"));
  CHECK(std::stod(csv.substr(csv.rfind(',') + 1)) == Approx(formula(256)));
  // In a text it is shown if it differs by more than 3 % somewhere.
  CHECK_THAT(predicted({"n=64,256", "--format", "text"}).output, ContainsSubstring("formula"));
  CHECK_THAT(predicted({"n=64,128", "--format", "text"}).output, !ContainsSubstring("formula"));
  CHECK_THAT(predicted({"n=256"}).errors, ContainsSubstring("the printed formula alone has 117 s"));
  CHECK_THAT(predicted({"n=64"}).errors, !ContainsSubstring("the printed formula"));
  // Eq. (4) of enough runs predicts what it says.
  write("line.csv", "n,time_s\n1,3\n2,5\n3,7\n4,9\n5,11\n6,13\n8,17\n9,19\n");
  run({"fit", "line.csv", "--quiet", "-o", "model.json"}).succeeded();
  CHECK_THAT(predicted({"n=2,4"}).output, !ContainsSubstring("formula"));
}
