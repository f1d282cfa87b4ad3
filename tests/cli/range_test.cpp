#include <string>
#include <vector>

#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// The sample model (filters 1 .. 8, workers 1 .. 4, relu and tanh), as if a third level had no
/// training row and nothing had been measured at few filters with many workers.
std::string model_with_regions() {
  nlohmann::json model = nlohmann::json::parse(sample_model());
  model["constants"]["categorical"][0]["levels"].push_back({{"level", "gelu"}, {"a", 0.5}});
  model["unmeasured_regions"] =
      nlohmann::json::parse(R"([[{"column": "activation", "level": "gelu"}],
                      [{"column": "filters", "range": [1, 2]},
                       {"column": "workers", "range": [3, 4]}]])");
  return model.dump();
}

struct RangeCase {
  std::string filters;
  std::string activation;
  std::string workers;
  std::string finding;  ///< empty: in range; "!": refused whatever the options
};

const std::vector<RangeCase> cases = {
    {"4", "relu", "2", ""},
    {"1", "relu", "1", ""},
    {"8", "tanh", "4", ""},
    {"2.5", "tanh", "3.5", ""},
    {"1", "relu", "2.999", ""},
    {"0.999", "relu", "2", "filters = 0.999 is outside of the measured range 1 .. 8"},
    {"8.001", "relu", "2", "filters = 8.001 is outside of the measured range 1 .. 8"},
    {"1e9", "relu", "2", "filters = 1e+09 is outside of the measured range 1 .. 8"},
    {"4", "relu", "0.5", "workers = 0.5 is outside of the measured range 1 .. 4"},
    {"4", "relu", "5", "workers = 5 is outside of the measured range 1 .. 4"},
    {"4", "gelu", "2", "nothing was measured at activation = gelu"},
    {"1", "relu", "4", "nothing was measured at filters in 1 .. 2 with workers in 3 .. 4"},
    {"2", "relu", "3", "nothing was measured at filters in 1 .. 2 with workers in 3 .. 4"},
    {"4", "swish", "2", "!"},
    {"4", "Relu", "2", "!"},
    {"4", "", "2", "!"},
    {"0", "relu", "2", "!"},
    {"-4", "relu", "2", "!"},
    {"nan", "relu", "2", "!"},
    {"inf", "relu", "2", "!"},
    {"four", "relu", "2", "!"},
};

class RangeTest : public ProgramTest {
 public:
  RangeTest() { write("model.json", model_with_regions()); }
};

}  // namespace

TEST_CASE_METHOD(RangeTest, "every input outside of what was measured is caught", "[range]") {
  for (const RangeCase& each : cases) {
    CAPTURE(each.filters, each.activation, each.workers);
    const std::string& finding = each.finding;
    const Words command = {"predict",
                           "model.json",
                           "--json",
                           "--set",
                           "filters=" + each.filters,
                           "activation=" + each.activation,
                           "workers=" + each.workers};
    const ProgramResult lenient_result = run(command);
    const ProgramResult strict_result = run(command, {"--strict-range"});
    if (finding == "!") {
      CHECK((lenient_result.exit_code == 3 || lenient_result.exit_code == 2));
      CHECK(lenient_result.output.empty());
      CHECK(strict_result.exit_code == lenient_result.exit_code);
      continue;
    }
    CHECK(lenient_result.exit_code == 0);
    CHECK(nlohmann::json::parse(lenient_result.output)["in_range"] == finding.empty());
    CHECK(lenient_result.errors == (finding.empty() ? ""
                                                    : "perfmodel: warning: " + finding +
                                                          ": the prediction is extrapolated\n"));
    CHECK(strict_result.exit_code == (finding.empty() ? 0 : 3));
    CHECK(strict_result.errors ==
          (finding.empty() ? "" : "perfmodel: error: --strict-range: " + finding + "\n"));
    CHECK(strict_result.output.empty() == !finding.empty());
  }
}

TEST_CASE_METHOD(RangeTest, "a file says of each row whether it is in range", "[range]") {
  write("configs.csv", "filters,activation,workers\n4,relu,2\n1,relu,4\n4,gelu,2\n9,relu,2\n");
  CHECK(run({"predict", "model.json", "configs.csv"}).succeeded().output ==
        "filters,activation,workers,predicted_time_s,in_range\n"
        "4,relu,2,4.25,true\n"
        "1,relu,4,0.3125,false\n"
        "4,gelu,2,4.375,false\n"
        "9,relu,2,20.5,false\n");
  CHECK(run({"predict", "model.json", "configs.csv", "--strict-range"}).refused(3) ==
        "perfmodel: error: --strict-range: column 'filters' leaves the measured range 1 .. 8 in 1 "
        "of 4 rows; nothing was measured at activation = gelu, in 1 of 4 rows; nothing was "
        "measured at filters in 1 .. 2 with workers in 3 .. 4, in 1 of 4 rows\n");
}

TEST_CASE_METHOD(RangeTest, "evaluate and simulate can be strict too", "[range]") {
  write("runs.csv", "filters,activation,workers,time_s\n4,relu,2,4\n4,relu,8,1\n");
  write("configs.csv", "filters,activation,workers\n4,relu,8\n");
  CHECK(run({"evaluate", "model.json", "runs.csv"}).exit_code == 0);
  CHECK(run({"evaluate", "model.json", "runs.csv", "--strict-range"}).exit_code == 3);
  CHECK(run({"simulate", "model.json", "configs.csv"}).exit_code == 0);
  CHECK(run({"simulate", "model.json", "configs.csv", "--strict-range"}).exit_code == 3);
}

TEST_CASE_METHOD(RangeTest, "fit finds the combinations that were not measured", "[range]") {
  std::string runs = "filters,workers,time_s\n";
  for (const int filters : {4, 8, 16, 32}) {
    for (const int workers : {1, 2, 4, 8}) {
      for (int repeat = 0; repeat < 20; ++repeat)
        if (filters >= 16 || workers <= 2)
          runs += csv_row(filters, workers, std::to_string(0.5 + filters / workers));
    }
  }
  write("runs.csv", runs);
  CHECK(run({"fit", "runs.csv", "-o", "fitted.json"}).exit_code == 0);
  const ProgramResult result =
      run({"predict", "fitted.json", "--json", "--set", "filters=8", "workers=8"});
  CHECK(nlohmann::json::parse(result.output)["in_range"] == false);
  CHECK(result.errors ==
        "perfmodel: warning: nothing was measured at filters in 4 .. 8 with workers in 4 .. 8: the "
        "prediction is extrapolated\n");
}

TEST_CASE_METHOD(ProgramTest, "a column that had one value in all runs is checked like an input") {
  write("runs.csv",
        "gpus,batch_per_gpu,host,time_s\n1,64,a,10.0\n2,64,a,5.3\n4,64,a,2.8\n8,64,a,1.6\n"
        "16,64,a,1.0\n");
  run({"fit", "runs.csv", "--quiet", "-o", "model.json"});
  write("configs.csv", "gpus,batch_per_gpu,host\n8,64.0,a\n8,512,a\n8,,a\n8,64,b\n");
  const ProgramResult predicted = run({"predict", "model.json", "configs.csv"});
  const std::vector<std::string> lines = lines_of(predicted.output);
  REQUIRE(lines.size() == 5);
  for (const auto& [line, in_range] :
       std::vector<std::pair<std::size_t, bool>>{{1, true}, {2, false}, {3, true}, {4, false}})
    CHECK_THAT(lines[line], ContainsSubstring(in_range ? ",true" : ",false"));
  CHECK_THAT(predicted.errors,
             ContainsSubstring("'batch_per_gpu' is not 64, as in all runs, in 1 of 4 rows") &&
                 ContainsSubstring("'host' is not a, as in all runs, in 1 of 4 rows"));
  CHECK_THAT(run({"predict", "model.json", "configs.csv", "--strict-range"}).failed(3),
             ContainsSubstring("'batch_per_gpu' is not 64"));
  write("others.csv", "gpus,batch_per_gpu,host,time_s\n1,512,a,78\n8,512,a,11.9\n");
  CHECK_THAT(run({"evaluate", "model.json", "others.csv"}).errors,
             ContainsSubstring("'batch_per_gpu' is not 64, as in all runs, in 2 of 2 rows"));
  const Words asked = {"predict", "model.json", "--set", "gpus=8", "batch_per_gpu=64"};
  CHECK(run(asked).output == run({"predict", "model.json", "--set", "gpus=8"}).output);
  CHECK_THAT(run({"predict", "model.json", "--set", "gpus=8", "batch_per_gpu=32"}).failed(2),
             ContainsSubstring("has the value 64 in every row"));
}
