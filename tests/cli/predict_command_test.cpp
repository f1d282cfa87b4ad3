#include <unistd.h>

#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;

namespace {

class PredictTest : public SampleModelTest {
 public:
  ProgramResult run(const Words& arguments) const {
    return ProgramTest::run({"predict", "model.json"}, arguments);
  }
};

}  // namespace

TEST_CASE_METHOD(PredictTest, "predict --set prints the time as a plain number", "[cli]") {
  const ProgramResult result =
      run({"--set", "filters=4", "activation=relu", "workers=2"}).succeeded();
  CHECK(result.output == "4.25\n");
  CHECK(result.errors.empty());
  CHECK(run({"--set", "workers=2", "--set", "activation=tanh", "--set", "filters=4"}).output ==
        "4.5\n");
}

TEST_CASE_METHOD(PredictTest, "predictions can be printed in every format", "[cli]") {
  const Words set = {"--set", "filters=4,16", "activation=relu", "workers=2"};
  const auto in = [&](const std::string& format) {
    auto arguments = set;
    arguments.insert(arguments.end(), {"--format", format});
    return run(arguments).succeeded().output;
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
  // Of one configuration --json is what --format json is, and a file stays a file.
  const Words one = {"--set", "filters=4", "activation=relu", "workers=2"};
  auto as_json = one;
  as_json.emplace_back("--json");
  auto as_format = one;
  as_format.insert(as_format.end(), {"--format", "json"});
  CHECK(run(as_json).output == run(as_format).output);
  write("configs.csv", "filters,activation,workers\n4,relu,2\n");
  CHECK(run({"configs.csv", "--format", "latex"}).exit_code == 2);
  CHECK(run({"configs.csv", "--format", "csv"}).output == run({"configs.csv"}).output);
}

TEST_CASE_METHOD(PredictTest, "predict --set --json prints an object", "[cli]") {
  const nlohmann::json inside =
      run({"--set", "filters=4", "activation=relu", "workers=2", "--json"}).json();
  CHECK(inside == nlohmann::json{{"schema", "perfmodel/prediction"},
                                 {"schema_version", 1},
                                 {"predicted_time_s", 4.25},
                                 {"in_range", true}});
  const nlohmann::json outside =
      run({"--json", "--set", "filters=16", "activation=relu", "workers=2"}).json();
  CHECK(outside["in_range"] == false);
}

TEST_CASE_METHOD(PredictTest, "a configuration outside of the measured range gets a warning",
                 "[cli]") {
  const ProgramResult result =
      run({"--set", "filters=4", "activation=relu", "workers=8"}).succeeded();
  CHECK(result.output == "1.15625\n");
  CHECK(
      result.errors ==
      "perfmodel: warning: workers = 8 is outside of the measured range 1 .. 4: the prediction is "
      "extrapolated\n");
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

TEST_CASE_METHOD(PredictTest, "line ends of another system and a byte-order mark are no trouble",
                 "[cli]") {
  write("configs.csv",
        "\xEF\xBB\xBF"
        "filters,activation,workers\r\n4,relu,2\r\n");
  CHECK(run({"configs.csv"}).output ==
        "filters,activation,workers,predicted_time_s,in_range\n4,relu,2,4.25,true\n");
}

TEST_CASE_METHOD(PredictTest, "predict reads configurations from standard input and writes -o",
                 "[cli]") {
  program_options.input = "filters,activation,workers\n4,relu,2\n";
  CHECK(run({"-", "-o", "out.csv"}).succeeded().output.empty());
  CHECK(read("out.csv") ==
        "filters,activation,workers,predicted_time_s,in_range\n4,relu,2,4.25,true\n");
}

TEST_CASE_METHOD(PredictTest, "a file may be replaced by itself with predictions", "[cli]") {
  const std::string path = write("configs.csv", "filters,activation,workers\n4,relu,2\n");
  CHECK(run({"configs.csv", "-o", "configs.csv"}).exit_code == 0);
  CHECK(read_text(path) ==
        "filters,activation,workers,predicted_time_s,in_range\n4,relu,2,4.25,true\n");
}

TEST_CASE_METHOD(PredictTest, "the model may not be replaced by predictions", "[cli]") {
  run({"--set", "filters=4", "activation=relu", "workers=2", "-o", "model.json"}).failed(2);
  CHECK(read("model.json") == sample_model());
}

TEST_CASE_METHOD(PredictTest, "an error keeps an old output as it was", "[cli]") {
  write("configs.csv", "filters,activation,workers\n4,gelu,2\n");
  const std::string old = write("out.csv", "old");
  CHECK(run({"configs.csv", "-o", "out.csv"}).exit_code == 3);
  CHECK(read_text(old) == "old");
  CHECK(directory().entries() == 3);
}

TEST_CASE_METHOD(PredictTest, "a reader that went away ends the program without a word", "[cli]") {
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  program_options.output_descriptor = ends[1];
  const ProgramResult result = run({"--set", "filters=4", "activation=relu", "workers=2"});
  ::close(ends[1]);
  CHECK(result.exit_code == 141);  // 128 + SIGPIPE, as of a program that the signal ends
  CHECK(result.errors.empty());
}

TEST_CASE_METHOD(PredictTest, "predict reads the model from standard input", "[cli]") {
  program_options.input = sample_model();
  const ProgramResult result = run_perfmodel(
      {"predict", "-", "--set", "filters=4", "activation=relu", "workers=2"}, program_options);
  CHECK(result.output == "4.25\n");
}
