// Runs that failed: who refuses them says how to leave them out, and who left them out remembers.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kAdvice = "--failed drop to leave out runs that failed";

/// 40 runs; `cells` makes the cells behind gpus and batch_size of the number of the run, whether it
/// has a batch of 128 or more on 8 gpus, and its time.
template <class Cells>
std::string forty_runs(const std::string& columns, const Cells& cells) {
  std::string text = "gpus,batch_size," + columns + "\n";
  for (int run = 0; run < 40; ++run) {
    const int gpus = 1 << run % 4;
    const int batch = 16 << run % 5;
    const double time = 0.001 * batch / gpus + 0.002 * gpus * (1 + 0.02 * (run * 7 % 5));
    text += csv_row(gpus, batch, cells(run, gpus == 8 && batch >= 128, perfmodel::to_text(time)));
  }
  return text;
}

/// The fourth run has this in place of a time.
std::string runs_with_cell(const std::string& cell, const std::string& target = "time_s") {
  return forty_runs(
      target, [&](int run, bool, const std::string& time) { return run == 3 ? cell : time; });
}

/// The large runs fail, and there is a column of this name.
std::string runs_with_column(const std::string& name,
                             const std::function<std::string(int run, bool fails)>& cell) {
  return forty_runs(
      name + ",time_s",
      [&](int run, bool fails, const std::string& time) {
        return cell(run, fails) + "," + (fails ? "OOM" : time);
      });
}

std::vector<std::string> left_out_of(const nlohmann::json& model) {
  std::vector<std::string> out;
  for (const auto& item : model.value("left_out", nlohmann::json::array()))
    if (item["because"] == "result")
      out.push_back(item["column"]);
  return out;
}

/// A value that people would not set.
std::string measured_value(int run) {
  return std::to_string(9000 + 137 * (run * 7 % 40));
}

}  // namespace

TEST_CASE_METHOD(ProgramTest,
                 "a command that refuses failed runs names the flag that leaves them out",
                 "[cli]") {
  write("runs.csv", runs_with_cell("OOM"));
  write("slip.csv", runs_with_cell("oops"));
  run({"fit", "runs.csv", "--failed", "drop", "--expression", "multi", "-o", "model.json"})
      .succeeded();
  for (const std::string command : {"report", "evaluate"}) {
    CHECK_THAT(run({command, "model.json", "runs.csv", "--failed", "refuse"}).failed(3),
               ContainsSubstring(kAdvice));
    CHECK_THAT(run({command, "model.json", "runs.csv"}).succeeded().errors,
               ContainsSubstring("1 of 40 runs failed and are left out"));
    for (const std::string answer : {"refuse", "drop"}) {
      // No run failed there.
      const std::string slip =
          run({command, "model.json", "slip.csv", "--failed", answer}).failed(3);
      CHECK_THAT(slip, ContainsSubstring("every run needs a measured time > 0"));
      CHECK_THAT(slip, !ContainsSubstring("--failed"));
    }
  }
  CHECK_THAT(run({"fit", "slip.csv", "--failed", "drop"}).errors, !ContainsSubstring("--failed"));
  write("rates.csv", runs_with_cell("OOM", "samples_per_s"));
  CHECK_THAT(run({"fit", "rates.csv", "--throughput-target", "samples_per_s", "--failed", "refuse"})
                 .failed(3),
             ContainsSubstring(kAdvice));

  run({"report", "model.json", "runs.csv", "--failed", "drop", "--title", "a b", "-o", "1.html"})
      .succeeded();
  CHECK_THAT(read("1.html"),
             ContainsSubstring(
                 "perfmodel report model.json runs.csv --failed drop --title &#39;a b&#39; -o "
                 "report.html"));
}

TEST_CASE_METHOD(ProgramTest, "a column that is blank exactly where runs failed is a result",
                 "[cli][failed]") {
  const auto results = [&](const auto& cell, const Words& further = {}) {
    write("runs.csv", runs_with_column("odd", cell));
    return left_out_of(model_of({"runs.csv", "--failed", "drop"}, further));
  };
  const std::vector<std::string> odd = {"odd"};
  const auto blank = [](int run, bool fails) { return fails ? "" : std::to_string(run % 3 + 1); };
  CHECK(results(blank) == odd);
  CHECK_THAT(said(), ContainsSubstring("Column 'odd' looks like a result of the runs"));
  CHECK(results([](int run, bool fails) { return fails ? "nan" : measured_value(run); }) == odd);
  CHECK(results([](int run, bool fails) { return fails ? "" : run % 3 == 0 ? "a" : "b"; }) == odd);
  // A setting has a value also where runs failed; a flag keeps what looks like a result.
  CHECK(results([](int run, bool) { return std::to_string(run % 3 + 1); }).empty());
  CHECK(results(blank, {"--intrinsic", "odd"}).empty());
}

TEST_CASE_METHOD(ProgramTest, "a column of memory with a value of its own in most rows is a result",
                 "[cli][failed]") {
  const std::string name = GENERATE("peak_mb", "mem_mb", "vram_mb", "peak_gb", "memory_gb", "rss",
                                    "maxrss", "vmem", "VmPeak", "total");
  write("runs.csv", runs_with_column(name, [](int run, bool) { return measured_value(run); }));
  CHECK(left_out_of(model_of({"runs.csv", "--failed", "drop"})) == std::vector<std::string>{name});
  // What people set has few values.
  write("runs.csv",
        runs_with_column(name, [](int run, bool) { return std::to_string(16 << run / 3 % 3); }));
  CHECK(left_out_of(model_of({"runs.csv", "--failed", "drop"})).empty());
}

TEST_CASE_METHOD(ProgramTest, "a second column of states is a result beside that of --status",
                 "[cli][failed][cut]") {
  std::string text = "gpus,size,state,code,time_s\n";
  for (int run = 0; run < 60; ++run) {
    const int gpus = 1 << run % 5;
    const int size = 1 << run / 5 % 4;
    const double time = 20. * size / gpus * (1 + 0.02 * (run * 7 % 5));
    const bool is_cut = time > 50;
    text += csv_row(gpus, size, is_cut ? "TIMEOUT,124" : "COMPLETED,0", is_cut ? 50 : time);
  }
  write("runs.csv", text);
  for (const auto& [status, twin] : {std::pair("code", "state"), std::pair("state", "code")}) {
    const auto results = left_out_of(
        model_of({"runs.csv", "--status", status, "--failed", "censor", "--limit", "50"}));
    CHECK(results == std::vector<std::string>{twin});
  }
}

TEST_CASE_METHOD(ProgramTest, "runs that say in words that they failed are left out unless refused",
                 "[cli][failed]") {
  write("runs.csv", runs_with_cell(""));
  const auto fitted = run({"fit", "runs.csv", "-o", "model.json"}).succeeded();
  CHECK_THAT(fitted.errors, ContainsSubstring("1 of 40 runs failed and are left out: 'time_s' is "
                                              "blank in 1 (line 5)"));
  CHECK_THAT(fitted.errors, !ContainsSubstring("--failed censor"));
  CHECK(nlohmann::json::parse(read("model.json"))["provenance"]["data"]["rows"] == 39);
  CHECK_THAT(run({"fit", "runs.csv", "--failed", "refuse"}).failed(3), ContainsSubstring(kAdvice));
  write("cut.csv", runs_with_cell("timeout"));
  CHECK_THAT(run({"fit", "cut.csv", "-o", "model.json"}).succeeded().errors,
             ContainsSubstring("; --failed censor --limit LIMIT counts those that were ended as "
                               "longer"));
  write("zero.csv", runs_with_cell("0"));
  CHECK_THAT(run({"fit", "zero.csv"}).failed(3), ContainsSubstring("0 is not > 0"));
  write("slip.csv", runs_with_cell("0.1.2"));
  CHECK_THAT(run({"fit", "slip.csv"}).failed(3), ContainsSubstring("\"0.1.2\" is not a number"));
}

TEST_CASE_METHOD(ProgramTest, "rows without a value of an input are left out with their lines",
                 "[cli][failed][gaps]") {
  write("runs.csv", forty_runs("size,time_s", [](int run, bool, const std::string& time) {
          return (run == 7 || run == 9 ? "-," : std::to_string(1 + run % 3) + ",") + time;
        }));
  const auto fitted = run({"fit", "runs.csv", "-o", "model.json"}).succeeded();
  CHECK_THAT(fitted.errors, ContainsSubstring("2 of 40 rows have no 'size' (runs.csv:9 and "
                                              "runs.csv:11) and are left out; --ignore size keeps "
                                              "them"));
  CHECK(nlohmann::json::parse(read("model.json"))["provenance"]["data"]["rows"] == 38);
  CHECK_THAT(run({"fit", "runs.csv", "--failed", "refuse"}).failed(3),
             ContainsSubstring("column 'size': 2 cells: \"-\" is not a number"));
  CHECK_THAT(run({"fit", "runs.csv", "--intrinsic", "size"}).failed(3),
             ContainsSubstring("column 'size': 2 cells: \"-\" is not a number"));
}
