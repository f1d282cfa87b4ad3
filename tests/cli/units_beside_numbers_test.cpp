// Runs of several units, which a column says, are fitted and judged as the same runs in seconds.

#include <string>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

namespace {

/// Milliseconds of a run; every third one is written in seconds.
int whole_ms(int gpus, int batch) {
  return 100 * batch / gpus + 50;
}

std::string text_in_s(int time) {
  return std::to_string(time / 1000) + "." + std::to_string(1000 + time % 1000).substr(1);
}

std::string runs_of_units(const std::string& unit_name = "unit", int only = -1) {
  int i = 0;
  std::string text = "gpus,batch,time," + unit_name + "\n";
  for (const int gpus : {1, 2, 4, 8})
    for (const int batch : {16, 32, 64, 128}) {
      const int time = whole_ms(gpus, batch);
      const bool is_second = only < 0 ? i++ % 3 == 0 : only == 1;
      text += csv_row(gpus, batch, is_second ? text_in_s(time) : std::to_string(time),
                      is_second ? "s" : "ms");
    }
  return text;
}

class UnitsTest : public ProgramTest {
 public:
  UnitsTest() {
    write("plain.csv",
          csv_grid("gpus,batch,time_s", {1, 2, 4, 8}, {16, 32, 64, 128},
                   [](int gpus, int batch) { return text_in_s(whole_ms(gpus, batch)); }));
    constants = constants_of({"plain.csv"});
  }

  nlohmann::json constants_of(const Words& files, const Words& further = {}) {
    return model_of(both_of(files, {"--expression", "multi"}), further)["constants"];
  }

  nlohmann::json constants;
};

}  // namespace

TEST_CASE_METHOD(UnitsTest, "a column of units is taken into the times that are fitted",
                 "[cli][units]") {
  for (const char* name : {"unit", "time unit", "time_unit", "Einheit"}) {
    INFO(name);
    write("runs.csv", runs_of_units(name));
    CHECK(constants_of({"runs.csv"}) == constants);
    CHECK_THAT(said(), ContainsSubstring("'time' has units: its values are in s"));
  }
  CHECK(model_of({"runs.csv"})["target"]["unit"] == "s");
  CHECK(constants_of({"runs.csv", "--sample-rows", "16"}) == constants);
  CHECK(constants_of({"runs.csv", "--ignore", "batch"}).dump() != constants.dump());
  CHECK(run({"import", "runs.csv", "--quiet"})
            .succeeded()
            .output.starts_with("gpus,batch,time\n1,16,1.65s\n1,32,3.25s\n"));
  write("seconds.csv", runs_of_units("unit", 1));
  write("milliseconds.csv", runs_of_units("unit", 0));
  CHECK(constants_of({"seconds.csv"}) == constants);
  const nlohmann::json both = model_of({"seconds.csv", "milliseconds.csv"});
  CHECK(both["target"]["unit"] == "s");
  CHECK(both["provenance"]["data"]["rows"] == 32);
}

TEST_CASE_METHOD(UnitsTest, "numbers beside which units are blank or of another kind are refused",
                 "[cli][units]") {
  write("blank.csv", "gpus,time,unit\n1,2,s\n2,900,ms\n4,450,ms\n8,300,\n");
  write("model.json", model_of({"plain.csv", "--ignore", "batch"}).dump());
  const std::string refusal =
      "blank.csv: column 'time': its numbers have no common unit: 'unit' says nothing "
      "(blank.csv:5), \"ms\" (blank.csv:3) and \"s\" (blank.csv:2) beside them; fill it";
  CHECK_THAT(run({"fit", "blank.csv"}).refused(3), ContainsSubstring(refusal));
  CHECK_THAT(run({"scaling", "blank.csv"}).refused(3), ContainsSubstring(refusal));
  CHECK_THAT(run({"compare", "blank.csv"}).refused(3), ContainsSubstring(refusal));
  CHECK_THAT(run({"evaluate", "model.json", "blank.csv", "--target", "time"}).refused(3),
             ContainsSubstring(refusal));
  // The run without a unit has failed.
  write("failed.csv", "gpus,time,unit,state\n1,2,s,ok\n2,900,ms,ok\n4,450,ms,ok\n8,3,,killed\n");
  CHECK(model_of({"failed.csv", "--status", "state"})["target"]["unit"] == "s");
  // JMH's throughputs beside its times: a model of each.
  write("jmh.csv",
        "Mode,Score,Unit,n\nthrpt,12,ops/ms,1\nthrpt,6,ops/ms,2\nthrpt,3,ops/ms,4\n"
        "avgt,0.1,ms/op,1\navgt,0.2,ms/op,2\navgt,0.4,ms/op,4\n");
  CHECK_THAT(run({"fit", "jmh.csv"}).refused(3), ContainsSubstring("no common unit"));
  CHECK(run({"fit", "jmh.csv", "--by", "Mode", "-o", "models.jsonl"}).exit_code == 0);
  CHECK(run({"fit", "jmh.csv", "--by", "Unit", "-o", "models.jsonl"}).exit_code == 0);
}

TEST_CASE_METHOD(UnitsTest, "a model of one unit judges runs of another", "[cli][units]") {
  write("mixed.csv", runs_of_units());
  write("seconds.csv", runs_of_units("unit", 1));
  write("milliseconds.csv", runs_of_units("unit", 0));
  for (const std::string fitted : {"mixed", "seconds", "milliseconds"}) {
    const nlohmann::json model = model_of({fitted + ".csv", "--expression", "multi"});
    CHECK(model["target"]["unit"] == (fitted == "milliseconds" ? "ms" : "s"));
    write("model.json", model.dump());
    for (const std::string judged : {"mixed.csv", "seconds.csv", "milliseconds.csv"}) {
      INFO(fitted << " " << judged);
      if (fitted == "milliseconds" && judged == "mixed.csv") {
        CHECK_THAT(run({"evaluate", "model.json", judged}).refused(3),
                   ContainsSubstring("are in s, but the model's column is in ms"));
        continue;
      }
      const ProgramResult result =
          run({"evaluate", "model.json", judged, "--format", "json"}).succeeded();
      CHECK(result.json()["metrics"]["mape_percent"].get<double>() < 1);
      CHECK(result.errors.find("extrapolated") == std::string::npos);
      CHECK(result.errors.find("has no units") == std::string::npos);
    }
  }
  write("rates.csv", "gpus,batch,time,unit\n1,16,3,GB\n");
  CHECK_THAT(run({"evaluate", "model.json", "rates.csv"}).refused(3),
             ContainsSubstring("column 'time' is in GB, but the model's is in ms"));
}

TEST_CASE_METHOD(ProgramTest, "Google Benchmark's own CSV has the unit of each benchmark",
                 "[cli][units]") {
  write("benchmarks.csv",
        "name,iterations,real_time,cpu_time,time_unit,n\nBM/64,9,120,118,ns,64\n"
        "BM/1024,9,950,940,ns,1024\nBM/4096,9,3.8,3.7,us,4096\nBM/16384,9,15.2,15.1,us,16384\n");
  CHECK(run({"import", "benchmarks.csv", "--quiet"}).succeeded().output ==
        "name,iterations,real_time,cpu_time,n\nBM/64,9,1.2e-07s,1.18e-07s,64\n"
        "BM/1024,9,9.5e-07s,9.4e-07s,1024\nBM/4096,9,3.8e-06s,3.7e-06s,4096\n"
        "BM/16384,9,1.52e-05s,1.51e-05s,16384\n");
  write("model.json", model_of({"benchmarks.csv", "--target", "real_time"}).dump());
  const std::string predicted =
      run({"predict", "model.json", "--set", "n=4096", "--quiet"}).succeeded().output;
  CHECK_THAT(std::stod(predicted), WithinRel(3.8e-6, 0.1));
}
