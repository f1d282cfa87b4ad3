// The probability that a run fails: fitted beside the time where enough runs failed, predicted, and
// heeded by those that propose runs.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/model.hpp"
#include "support/csv_text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

bool runs_out_of_memory(int size, int workers) {
  return size > 96 * workers;
}

std::string grid_time(int size, int workers) {
  return perfmodel::to_text(0.01 * size / workers + 0.002 * workers);
}

/// Runs of sizes 1, 2, ..., 512 with 1, 2, 4 or 8 workers. `most`: of the failed ones that are
/// kept.
std::string ended_runs(std::size_t most = 1000, const std::string& further = "",
                       const std::string& of_finished = "", const std::string& of_failed = "") {
  std::string text = "size,workers," + further + "time_s\n";
  for (int size = 1; size <= 512; size *= 2)
    for (int workers = 1; workers <= 8; workers *= 2) {
      const bool fails = runs_out_of_memory(size, workers);
      if (fails && most-- == 0)
        return text;
      text += csv_row(size, workers,
                      fails ? of_failed + "OOM" : of_finished + grid_time(size, workers));
    }
  return text;
}

constexpr auto kGridSpace = R"({"schema": "perfmodel/space", "schema_version": 1,
 "columns": [{"column": "size", "values": [16, 24, 48, 80, 120, 160, 240, 320, 480]},
             {"column": "workers", "values": [1, 2, 3, 4, 6, 8]}]})";

class FailuresTest : public ProgramTest {
 public:
  FailuresTest() {
    write("runs.csv", ended_runs());
    write("space.json", kGridSpace);
  }
  /// Of a command that succeeds.
  std::string output(const Words& arguments) const { return run(arguments).succeeded().output; }
  ProgramResult fit(const Words& options = {}) const {
    return run({"fit", "runs.csv", "--failed", "drop", "--expression", "multi", "--terms", "1",
                "-o", "model.json"},
               options)
        .succeeded();
  }
  nlohmann::json predicted(const Words& settings) const {
    return run({"predict", "model.json", "--json", "--set"}, settings).json();
  }
};

}  // namespace

TEST_CASE_METHOD(FailuresTest, "predict says how likely a run fails if enough runs of the fit did",
                 "[cli]") {
  const ProgramResult fitted = fit();
  CHECK_THAT(fitted.errors, ContainsSubstring("failures  6 runs failed, 34 did not"));
  const nlohmann::json model = this->model();
  CHECK(model.at("failures").at("failed") == 6);
  CHECK(model.at("failures").at("finished") == 34);

  std::string asked = "size,workers\n";
  for (int size = 3; size <= 400; size *= 2)
    for (int workers = 1; workers <= 8; ++workers)
      asked += csv_row(size, workers);
  write("asked.csv", asked);
  const auto rows = csv_cells(output({"predict", "model.json", "asked.csv"}));
  REQUIRE(rows[0].back() == "p_fails");
  std::size_t wrong = 0;
  for (std::size_t row = 1; row < rows.size(); ++row) {
    const double p = std::stod(rows[row].back());
    CHECK((p >= 0 && p <= 1));
    wrong +=
        (p > 0.5) != runs_out_of_memory(std::stoi(rows[row][0]), std::stoi(rows[row][1])) ? 1U : 0U;
  }
  CHECK(wrong <= 3);  // beside the limit
  CHECK(predicted({"size=500", "workers=1"}).at("p_fails") > 0.9);
  CHECK(predicted({"size=4", "workers=4"}).at("p_fails") < 0.06);

  CHECK_THAT(run({"predict", "model.json", "--set", "size=500", "workers=1"}).errors,
             ContainsSubstring("a run of this configuration fails with P = 0.9"));
  CHECK_THAT(run({"predict", "model.json", "--set", "size=4", "workers=4"}).errors,
             !ContainsSubstring("fails"));
  const std::string table =
      output({"predict", "model.json", "--set", "size=4,500", "workers=1", "--format", "text"});
  CHECK_THAT(table, ContainsSubstring("fails with P = 0.9"));

  // The panel of a page does not vouch for such configurations.
  const std::string page =
      output({"report", "model.json", "runs.csv", "--failed", "drop", "--explore"});
  CHECK_THAT(page, ContainsSubstring("doubts: [\"6 runs failed: whether this one would, "
                                     "perfmodel predict tells\"]"));
  CHECK_THAT(page, ContainsSubstring("(doubts ? \"\" : \"\\u2713 \") + \"within the measured"));

  // Its first screen tells what predict does of the central run.
  const nlohmann::json central = model.at("central_run").at("configuration");
  const double p =
      predicted({"size=" + central.at("size").dump(), "workers=" + central.at("workers").dump()})
          .at("p_fails");
  CHECK_THAT(page, ContainsSubstring("6 runs failed, 34 did not; here one fails with P = " +
                                     perfmodel::short_number(p)));

  // Fields that contradict each other are refused.
  const auto refused = [&](const std::string& message, const auto& change) {
    auto other = nlohmann::ordered_json::parse(read("model.json"));
    change(other["failures"]);
    write("other.json", other.dump());
    CHECK_THAT(run({"predict", "other.json", "--set", "size=4", "workers=1"}).failed(3),
               ContainsSubstring(message));
  };
  refused(
      "failures.curvatures", [](auto& failures) { failures["curvatures"].erase(0); });
  refused(
      "failures.curvatures[0]", [](auto& failures) { failures["curvatures"][0] = -1; });
  refused(
      "failures.variance", [](auto& failures) { failures["variance"] = 0; });
  refused("failures.numbers[1].codes[2]",
          [](auto& failures) { failures["numbers"][1]["codes"][2] = 4; });
}

TEST_CASE_METHOD(FailuresTest,
                 "a model of failing is read as the same bytes, and predicts the same", "[cli]") {
  write("runs.csv", ended_runs(1000, "device,", "a,", "b,"));
  fit();
  const std::string text = read("model.json");
  CHECK_THAT(text, ContainsSubstring("\"usual\": \"a\""));
  write("again.json", to_json(perfmodel::read_model(file("model.json"))));
  CHECK(read("again.json") == text);
  const auto of = [&](const std::string& model) {
    return output(
        {"predict", model, "--set", "size=1:512:x1.5", "workers=1:8:+1", "--format", "csv"});
  };
  CHECK(of("again.json") == of("model.json"));
  // Any number of threads gives the same model.
  fit({"--threads", "3"});
  CHECK(read("model.json") == text);
}

TEST_CASE_METHOD(FailuresTest,
                 "with fewer than five failed runs no probability of failing is known", "[cli]") {
  write("runs.csv", ended_runs(4));
  CHECK_THAT(fit().errors, !ContainsSubstring("failures"));
  CHECK_THAT(read("model.json"), !ContainsSubstring("\"failures\""));
  CHECK(!predicted({"size=500", "workers=1"}).contains("p_fails"));
}

TEST_CASE_METHOD(FailuresTest, "suggest leaves out what is likely to fail", "[cli]") {
  fit();
  const auto check = [&](const Words& options) {
    const ProgramResult result =
        run({"suggest", "model.json", "space.json", "--format", "csv"}, options).succeeded();
    CHECK_THAT(result.errors, ContainsSubstring("of space.json left out: they fail with P > 0.25"));
    const auto rows = csv_cells(result.output);
    const auto column = std::ranges::find(rows[0], "p_fails") - rows[0].begin();
    for (std::size_t row = 1; row < rows.size(); ++row) {
      const std::string size = rows[row][0];
      const std::string workers = rows[row][1];
      const double p =
          predicted({"size=" + size, "workers=" + workers}).at("p_fails").get<double>();
      CHECK(p <= 0.25);
      CHECK(std::stod(rows[row][static_cast<std::size_t>(column)]) == Catch::Approx(p));
      CHECK(!runs_out_of_memory(std::stoi(size) - 30, std::stoi(workers)));
    }
    return rows.size() - 1;
  };
  CHECK(check({"--where", "size > 100", "--top", "30"}) > 5);
  CHECK(check({"--next", "5"}) == 5);
  CHECK(check({"--next", "5", "--goal", "fastest", "--runs", "runs.csv"}) == 5);

  const auto all = run({"suggest", "model.json", "space.json", "--format", "json"}).json();
  const int searched = all.at("searched");
  CHECK(searched == 54);
  CHECK(all.at("allowed").get<int>() + all.at("likely_to_fail").get<int>() == 54);

  for (const Words& options : {Words{"--where", "size > 400 && workers == 1"},
                               Words{"--where", "size > 400 && workers == 1", "--next", "1"}}) {
    CHECK_THAT(run({"suggest", "model.json", "space.json"}, options).failed(3),
               ContainsSubstring("every configuration of space.json that is left is "
                                 "likely to fail"));
  }
  // The configurations that are left out are listed.
  for (const Words& options : {Words{}, Words{"--next", "3"}}) {
    const ProgramResult result =
        run({"suggest", "model.json", "space.json", "--format", "json"}, options).succeeded();
    const auto document = result.json();
    const auto& failing = document.at("failing");
    REQUIRE(failing.size() == std::min<std::size_t>(10, document.at("likely_to_fail")));
    CHECK_THAT(result.errors, ContainsSubstring("they fail with P > 0.25; the fastest:\n  size="));
    double last = 0;
    for (const auto& each : failing) {
      CHECK(each.at("p_fails") > 0.25);
      CHECK(each.at("predicted_time") >= last);
      last = each.at("predicted_time");
      const auto& at = each.at("configuration");
      CHECK_THAT(result.errors, ContainsSubstring("\n  size=" + at.at("size").dump() + " workers=" +
                                                  at.at("workers").dump() + " (P = "));
    }
  }
  // Runs that finished are ranked whatever the model thinks of them.
  const auto ranked =
      csv_cells(output({"suggest", "model.json", "runs.csv", "--top", "40", "--format", "csv"}));
  CHECK(ranked.size() == 35);
}

TEST_CASE_METHOD(FailuresTest, "where conditions bound the memory, it alone decides what can run",
                 "[cli]") {
  // 10 MB per size and worker, and 40 MB: runs of more than 1000 MB fail.
  std::string runs = "size,workers,mem_mb,time_s\n";
  for (int size = 1; size <= 512; size *= 2)
    for (int workers = 1; workers <= 8; workers *= 2) {
      const bool fails = runs_out_of_memory(size, workers);
      runs += csv_row(
          size, workers,
          fails ? "OOM,OOM"
                : std::to_string(10.0 * size / workers + 40) + "," + grid_time(size, workers));
    }
  write("runs.csv", runs);
  output({"fit", "runs.csv", "--target", "time_s,mem_mb", "--failed", "drop", "--expression",
          "multi", "--terms", "1", "-o", "all.jsonl"});
  const Words asked = {"suggest",       "all.jsonl", "space.json", "--where",
                       "mem_mb < 1000", "--top",     "60",         "--format"};
  const auto rows = csv_cells(run(asked, {"csv"}).succeeded().output);
  std::size_t expected = 0;
  for (const int size : {16, 24, 48, 80, 120, 160, 240, 320, 480})
    for (const int workers : {1, 2, 3, 4, 6, 8})
      expected += runs_out_of_memory(size, workers) ? 0U : 1U;
  CHECK(rows.size() - 1 == expected);
  std::size_t told_to_fail = 0;
  for (std::size_t row = 1; row < rows.size(); ++row) {
    CHECK(!runs_out_of_memory(std::stoi(rows[row][0]), std::stoi(rows[row][1])));
    told_to_fail += std::stod(rows[row].back()) > 0 ? 1U : 0U;
  }
  CHECK(told_to_fail == expected);  // p_fails stands beside it
  const ProgramResult result = run(asked, {"json"});
  CHECK_THAT(result.errors, ContainsSubstring("left out: --where 'mem_mb < 1000' does not hold"));
  CHECK_THAT(result.errors, !ContainsSubstring("they fail with P"));
  const auto document = nlohmann::json::parse(result.output);
  CHECK(!document.contains("likely_to_fail"));
  CHECK(!document.contains("failing"));
  // The same of what to measure next: all that is left is near the limit.
  CHECK_THAT(run({"suggest", "all.jsonl", "space.json", "--where",
                  "mem_mb < 1000 && size > 79 * workers", "--next", "1", "--format", "csv"})
                 .succeeded()
                 .errors,
             !ContainsSubstring("left out"));
}

TEST_CASE_METHOD(FailuresTest, "a column in which only failed runs differ decides failing",
                 "[cli]") {
  // Every size failed with the cache, none of the runs that finished had it.
  std::string runs = "size,workers,cache,mode,exit_code,time_s\n";
  for (int size = 1; size <= 64; size *= 2)
    for (int workers = 1; workers <= 4; workers *= 2) {
      const std::string inputs = std::to_string(size) + "," + std::to_string(workers) + ",";
      runs += csv_row(inputs + "0", "safe", "0", grid_time(size, workers));
      if (workers < 4)
        runs += inputs + (size % 3 == 1 ? "1,safe" : "0,quick") + ",137,failed\n";
    }
  write("runs.csv", runs);
  fit();
  const auto failures = model().at("failures");
  Words columns;
  for (const auto* kind : {"numbers", "levels"})
    for (const auto& input : failures.at(kind))
      columns.push_back(input.at("column"));
  // An exit code follows from failing.
  CHECK(columns == Words{"size", "workers", "cache", "mode"});
  write("asked.csv",
        "cache,size,mode,workers\n0,16,safe,2\n1,16,safe,2\n0,16,quick,2\n,16,safe,2\n");
  const auto rows = csv_cells(output({"predict", "model.json", "asked.csv"}));
  CHECK(std::stod(rows[1].back()) < 0.3);
  CHECK(std::stod(rows[2].back()) > 0.7);
  CHECK(std::stod(rows[3].back()) > 0.7);
  CHECK(rows[4].size() == rows[1].size() - 1);  // a blank cell is no value: nothing is said
  // Without these columns, configurations are like the runs that finished.
  CHECK(predicted({"size=16", "workers=2"}).at("p_fails").get<double>() ==
        Catch::Approx(std::stod(rows[1].back())));
}

TEST_CASE_METHOD(FailuresTest, "fit reports levels at which all runs failed", "[cli]") {
  std::string runs = ended_runs(1000, "gpu,", "new,", "new,");
  runs.replace(runs.find("1,1,new"), 7, "1,1,mid");
  runs += "1,2,old,failed\n2,2,old,failed\n3,2,odd,failed\n";
  write("runs.csv", runs);
  const std::string errors = fit().errors;
  CHECK_THAT(errors, ContainsSubstring("all 2 runs with gpu = old failed"));
  CHECK_THAT(errors, ContainsSubstring("the only run with gpu = odd failed"));
  CHECK(model().at("failures").at("failed") == 6);
}

TEST_CASE_METHOD(FailuresTest, "measure does not run what is likely to fail", "[cli]") {
  write("space.json", R"({"schema": "perfmodel/space", "schema_version": 1,
 "columns": [{"column": "size", "values": [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]},
             {"column": "threads", "values": [1, 2, 4, 8, 16, 32, 64, 128]}]})");
  write("program", R"(#!/bin/sh
test $(( $1 * $2 )) -gt 512 && exit 1
echo "step_time: $(( 100 * $1 / $2 + 3 * $2 + 7 )) us"
)");
  std::filesystem::permissions(file("program"), std::filesystem::perms::owner_all);
  const ProgramResult measured =
      run({"measure", "space.json", "--runs", "measured.csv", "--repeats", "1", "--time-from",
           "step_time: {}", "-o", "measured.json", "--", "./program", "{size}", "{threads}"})
          .succeeded();
  const auto rows = csv_cells(read("measured.csv"));
  std::size_t failed = 0;
  for (const Words& row : rows)
    failed += row[2] == "failed" ? 1U : 0U;
  // 28 of the 80 configurations fail, and 52 do not.
  CHECK(failed < 18);
  CHECK(rows.size() - 1 - failed > 46);
  CHECK_THAT(measured.errors, ContainsSubstring("or is likely to fail"));
}
