// Tables as people paste them: each is fitted to the constants of the plain CSV.

#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct PastedRun {
  int gpus;
  int batch;
  double time_ms;
};

/// Runs of a law with halves of milliseconds.
std::vector<PastedRun> pasted_runs() {
  std::vector<PastedRun> runs;
  for (const int gpus : {1, 2, 4, 8})
    for (const int batch : {16, 32, 64, 128})
      runs.push_back({gpus, batch, 100. * batch / gpus + 62.5});
  return runs;
}

}  // namespace

TEST_CASE_METHOD(ProgramTest,
                 "a sheet with titles and units and totals is fitted as its rows alone", "[cli]") {
  std::string plain = "GPUs,Batch,Time (ms)\n";
  std::string sheet = "Results of March;;;\n\nGPUs;Batch;Time;\n#;;ms;\n";
  std::string markdown = "It got slower:\n\n| GPUs | Batch | Time (ms) |\n|--:|--:|--:|\n";
  for (const PastedRun& run : pasted_runs()) {
    plain += csv_row(run.gpus, run.batch, run.time_ms);
    const std::string whole = std::to_string(static_cast<int>(run.time_ms));
    sheet += std::to_string(run.gpus) + ";" + std::to_string(run.batch) + ";" +
             (whole.size() < 4
                  ? whole
                  : whole.substr(0, whole.size() - 3) + "." + whole.substr(whole.size() - 3)) +
             ",5;\n";
    markdown += "| " + std::to_string(run.gpus) + " | " + std::to_string(run.batch) + " | " +
                whole + ".5 |\n";
  }
  write("plain.csv", plain);
  const nlohmann::json expected = model_of({"plain.csv"});
  write("markdown.md", markdown + "\nAny ideas?\n");
  const nlohmann::json of_markdown = model_of({"markdown.md"});
  CHECK(of_markdown["constants"] == expected["constants"]);
  CHECK_THAT(said(), ContainsSubstring("the 2 lines around the table are not read"));
  write("sheet.csv", sheet + "Total;;46.000,0;\nNode 7;;;\n");
  const nlohmann::json of_sheet = model_of({"sheet.csv"});
  CHECK(of_sheet["metrics"] == expected["metrics"]);
  CHECK(of_sheet["target"]["unit"] == "ms");
  CHECK_THAT(said(), ContainsSubstring("line 1, \"Results of March;;;\", is a title") &&
                         ContainsSubstring("line 4 is of units") &&
                         ContainsSubstring("\"Total;;46.000,0;\", is a total") &&
                         ContainsSubstring("Marks of thousands are removed: "));
}

TEST_CASE_METHOD(ProgramTest, "a column of thousands that one cell proves is a column of numbers",
                 "[cli]") {
  write("cores.csv", "cores,logs_per_s\n1,\"128,768\"\n2,\"256,112\"\n16,\"1,884,602\"\n");
  CHECK(run({"import", "cores.csv", "--quiet"}).succeeded().output ==
        "cores,logs_per_s\n1,128768\n2,256112\n16,1884602\n");
  CHECK_THAT(run({"import", "cores.csv"}).succeeded().errors,
             ContainsSubstring("\"1,884,602\" of 'logs_per_s' is 1884602"));
}

TEST_CASE_METHOD(ProgramTest, "the runs with the largest numbers of aligned columns are fitted",
                 "[cli]") {
  write("runs.txt",
        "gpus  batch time_s\n   1      8    8.5\n   2     16    4.5\n   4     64   12.5\n"
        "   8    256 1234.5\n  16   1024 9999.5\n");
  CHECK(run({"import", "runs.txt", "--quiet"}).succeeded().output ==
        "gpus,batch,time_s\n1,8,8.5\n2,16,4.5\n4,64,12.5\n8,256,1234.5\n16,1024,9999.5\n");
  CHECK(model_of({"runs.txt"})["provenance"]["data"]["rows"] == 5);
}

TEST_CASE_METHOD(ProgramTest, "the output of Go's benchmarks is fitted", "[cli]") {
  std::string text = "goos: linux\n";
  for (const int n : {100, 200, 400, 800, 1600})
    for (const int repeat : {0, 1})
      text += "BenchmarkSort/n=" + std::to_string(n) + "-8 \t 1000 \t " +
              std::to_string(5 * n + 50 + repeat) + " ns/op\t 64 B/op\n";
  write("go.txt", text + "PASS\n");
  const nlohmann::json model = model_of({"go.txt"});
  CHECK(model["target"]["column"] == "time");
  CHECK(model["target"]["unit"] == "s");
  CHECK(model["provenance"]["data"]["rows"] == 10);
  CHECK(run({"fit", "go.txt", "--input-format", "go-benchmark"}).exit_code == 0);
  CHECK(run({"fit", "go.txt", "--input-format", "hyperfine"}).exit_code == 2);
}

TEST_CASE_METHOD(ProgramTest, "a prediction stands beside the rows of a repaired sheet", "[cli]") {
  write("runs.csv", "gpus,time_s\n1,8.5\n2,4.5\n4,2.5\n8,1.5\n");
  write("model.json", model_of({"runs.csv"}).dump());
  write("titled.csv", "To buy\ngpus,note\n2,a\n4,b\n");
  const ProgramResult predicted = run({"predict", "model.json", "titled.csv"}).succeeded();
  CHECK(predicted.output.starts_with("gpus,note,"));
  CHECK_THAT(predicted.output, ContainsSubstring("\n2,a,") && ContainsSubstring("\n4,b,"));
  CHECK_THAT(predicted.errors, ContainsSubstring("is a title above the header"));
}
