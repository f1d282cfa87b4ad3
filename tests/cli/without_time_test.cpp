// Rows to which a model gives no time: one rule for all that reads a table.
#include <algorithm>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

namespace {

/// t = filters^1.5 - 8, beyond all numbers at filters = 1e250.
const std::string model_without_times = R"json({
  "schema": "perfmodel/model", "schema_version": 1,
  "expression": {"form": "generic"},
  "target": {"column": "time_s", "unit": "s"},
  "constants": {
    "intrinsic": [{"column": "filters", "a": 1, "p": 1.5, "range": [1, 1000]}],
    "categorical": [],
    "extrinsic": [{"column": "workers", "q": 0, "range": [1, 2]}],
    "C": -8},
  "scaling_powers": {"workers": 0},
  "metrics": {"train": null, "validation": null, "test": null},
  "repeats": null, "search": null, "warnings": [],
  "prediction_intervals": {"method": "split conformal", "score": "ln(measured / predicted)",
    "level": 0.5, "count": 3, "test_coverage": null, "ranks": [1, 2, 3], "scores": [-0.5, 0, 0.5]},
  "provenance": {"tool": "", "data": {"file": "", "rows": 0, "sha256": "", "notices": []}}
})json";

/// Lines 3 (below 0), 4 (exactly 0) and 6 (too large for a number) have no time.
const std::string runs_without_times =
    "filters,workers,time_s\n16,1,60\n1,1,1\n4,1,2\n25,2,115\n1e250,1,3\n36,2,200\n";

const std::string places =
    "runs.csv: in 3 of 6 rows (lines 3, 4 and 6) the model predicts no time > 0 that a number "
    "holds";

class TestWithoutTimes : public ProgramTest {
 public:
  TestWithoutTimes() {
    write("model.json", model_without_times);
    write("runs.csv", runs_without_times);
    // The same runs without these lines.
    write("judged.csv", "filters,workers,time_s\n16,1,60\n25,2,115\n36,2,200\n");
    std::string configurations = "filters,workers\n";
    for (int k = 0; k < 9; ++k)
      configurations += "1,1\n";
    write("configs.csv", configurations + "16,2\n");
  }
};

}  // namespace

TEST_CASE_METHOD(TestWithoutTimes,
                 "predict leaves the cells of rows without a time empty and places them", "[cli]") {
  const ProgramResult result = run({"predict", "model.json", "runs.csv"}).succeeded();
  for (const char* cells : {"\n1,1,1,,", "\n4,1,2,,", "\n1e250,1,3,,", "\n16,1,60,56,"})
    CHECK_THAT(result.output, ContainsSubstring(cells));
  CHECK_THAT(result.errors,
             ContainsSubstring("perfmodel: warning: " + places + ": their cells stay empty\n"));
  // Of many the first are named.
  const ProgramResult many = run({"predict", "model.json", "configs.csv"}).succeeded();
  CHECK_THAT(many.errors,
             ContainsSubstring("configs.csv: in 9 of 10 rows (lines 2, 3, 4, 5, 6 and 4 more) "));
  CHECK_THAT(many.output, ContainsSubstring("\n16,2,56,"));
}

TEST_CASE_METHOD(TestWithoutTimes, "what has no time is refused alone and by --strict-range",
                 "[cli]") {
  CHECK_THAT(run({"predict", "model.json", "--set", "filters=1", "workers=1"}).refused(3),
             ContainsSubstring("the model predicts -7, which is not a time > 0"));
  write("inside.csv", "filters,workers,time_s\n16,1,60\n1,1,1\n");
  for (const std::string command : {"predict", "evaluate"}) {
    CAPTURE(command);
    CHECK(run({command, "model.json", "inside.csv", "--strict-range"}).refused(3) ==
          error_prefix +
              "--strict-range: inside.csv: in 1 of 2 rows (line 3) the model predicts no time > 0 "
              "that a number holds\n");
  }
}

TEST_CASE_METHOD(TestWithoutTimes,
                 "evaluate and report leave out and count the rows that predict leaves empty",
                 "[cli]") {
  const auto evaluated = [&](const std::string& file, const std::string& format) {
    return run({"evaluate", "model.json", file, "--format", format}).succeeded();
  };
  const std::string words = "perfmodel: warning: " + places + ": they are left out\n";
  const ProgramResult all = evaluated("runs.csv", "json");
  CHECK_THAT(all.errors, ContainsSubstring(words));
  const auto document = all.json();
  const auto judged = evaluated("judged.csv", "json").json();
  CHECK(document["data"]["rows_left_out"] == 3);
  CHECK(judged["data"]["rows_left_out"] == 0);
  CHECK(document["metrics"]["rows"] == 3);
  CHECK(document["metrics"] == judged["metrics"]);
  CHECK_THAT(evaluated("runs.csv", "text").output,
             ContainsSubstring("rows left out, which have no predicted time: 3\n"));
  const ProgramResult page = run({"report", "model.json", "runs.csv"}).succeeded();
  CHECK_THAT(page.errors, ContainsSubstring(words));
  CHECK_THAT(page.output, ContainsSubstring("in 3 of 6 rows (lines 3, 4 and 6)"));
  CHECK_THAT(page.output, ContainsSubstring("compared with the 3 runs of runs.csv"));
}

TEST_CASE_METHOD(TestWithoutTimes, "residuals and outliers have the lines of the judged rows",
                 "[cli]") {
  std::string many = "filters,workers,time_s\n1,1,1\n";
  for (int k = 0; k < 12; ++k)
    many += csv_row(16 + k, "1", 50 + 9 * k);
  write("many.csv", many);
  const ProgramResult result = run({"evaluate", "model.json", "many.csv", "--residuals",
                                    "residuals.csv", "--outliers", "13", "--format", "json"})
                                   .succeeded();
  CHECK(read("residuals.csv")
            .starts_with("line,measured,predicted,error,error_percent\n3,50,56,6,12\n4,59,"));
  CHECK_THAT(read("residuals.csv"), ContainsSubstring("\n12,131,117,-14,"));
  std::vector<int> lines;
  const auto document = result.json();
  for (const auto& run : document["outliers"])
    lines.push_back(run["line"]);
  std::sort(lines.begin(), lines.end());
  CHECK(lines == std::vector<int>{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14});
}

TEST_CASE_METHOD(TestWithoutTimes, "neither a gate nor runs that have no time at all are judged",
                 "[cli]") {
  CHECK_THAT(run({"evaluate", "model.json", "runs.csv", "--fail-if", "mape>1000"}).failed(3),
             EndsWith("runs.csv: 3 of 6 rows cannot be judged; --fail-if needs predictions for "
                      "all: remove these rows, or fit such runs too\n"));
  write("none.csv", "filters,workers,time_s\n1,1,1\n");
  for (const std::string command : {"evaluate", "report"})
    CHECK_THAT(run({command, "model.json", "none.csv"}).failed(3),
               EndsWith(": no row can be judged: the configurations are too far "
                        "from the measured ones\n"));
}

TEST_CASE_METHOD(TestWithoutTimes,
                 "with a baseline both models are judged on the rows of which both give times",
                 "[cli]") {
  std::string old = model_without_times;
  old.replace(old.find("-8"), 2, "-64");  // 0 at 16 filters
  write("old.json", old);
  const ProgramResult result =
      run({"evaluate", "model.json", "runs.csv", "--baseline", "old.json", "--format", "json"})
          .succeeded();
  const auto document = result.json();
  CHECK(document["data"]["rows_left_out"] == 4);
  CHECK(document["metrics"]["rows"] == 2);
  CHECK(document["metrics"]["mae"] == 5);  // |117 - 115|, |208 - 200|
  CHECK(document["baseline"]["metrics"]["rows"] == 2);
  CHECK(document["baseline"]["metrics"]["mae"] == 51);  // |61 - 115|, |152 - 200|
  CHECK_THAT(result.errors,
             ContainsSubstring("old.json: runs.csv: in 1 of 3 rows (line 2) the model predicts"));
}

TEST_CASE_METHOD(TestWithoutTimes,
                 "suggest counts the configurations without a time, simulate makes no runs of them",
                 "[cli]") {
  write("space.json", space_of(R"({"column": "filters", "values": [1, 4, 16]},
                                  {"column": "workers", "values": [1]})"));
  const ProgramResult result =
      run({"suggest", "model.json", "space.json", "--format", "json"}).succeeded();
  CHECK(result.json()["without_time"] == 2);
  CHECK_THAT(result.errors, ContainsSubstring("space.json: for 2 of 3 configurations the model "
                                              "predicts no time > 0 that a number holds"));
  CHECK(run({"suggest", "model.json", "space.json", "--strict-range"}).exit_code == 3);
  CHECK_THAT(run({"simulate", "model.json", "configs.csv"}).refused(3),
             ContainsSubstring("configs.csv:2: the model predicts -7, ") &&
                 ContainsSubstring("configs.csv:10: the model predicts -7, "));
}
