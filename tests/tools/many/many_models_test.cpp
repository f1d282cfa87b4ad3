// The page of many models; what else is claimed of them is in tests/transcripts/many_models.md.
#include <cmath>
#include <string>

#include "base/text.hpp"
#include "support/markup.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "tools/many/many_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE_METHOD(ProgramTest, "report has one page of a set, with that of each model behind it",
                 "[cli][many][report]") {
  write("runs.csv", many_runs());
  run({"fit", "runs.csv", "--by", "kernel", "--target", "time_s,memory_mb", "-o", "all.jsonl"})
      .succeeded();
  const std::string page = run({"report", "all.jsonl", "--set", "gpus=64"}).succeeded().output;
  CHECK(markup_problem(page).empty());
  CHECK(texts_of(page, "title").front() == "10 models: all.jsonl");
  CHECK_THAT(page,
             ContainsSubstring("time_s at gpus=64, all else as in the central run of kernel="));
  // At 64 GPUs (k + 1) 64^(0.1 k): k4 has 5 * 64^0.4 of 51.6, and grows as gpus^0.4.
  const auto row_of = [](const std::string& text, const std::string& cell) {
    const std::size_t at = text.find(cell);
    REQUIRE(at != std::string::npos);
    const std::size_t begin = text.rfind("<tr>", at);
    return text.substr(begin, text.find("</tr>", at) - begin);
  };
  double sum = 0;
  for (int k = 0; k < kKernels; ++k)
    sum += (k + 1) * std::pow(64, 0.1 * k);
  const std::string row = row_of(page, ">k4<");
  CHECK_THAT(row, ContainsSubstring(">gpus^0.4<"));
  CHECK_THAT(row, ContainsSubstring(">extrapolated<"));
  CHECK_THAT(row,
             ContainsSubstring(">" + perfmodel::percent(100 * 5 * std::pow(64, 0.4) / sum) + "<"));
  CHECK(page.find(">k4<") < page.find(">k3<"));  // the most costly first
  CHECK_THAT(row_of(run({"report", "all.jsonl"}).output, ">k4<"), ContainsSubstring(">measured<"));
  // Every model has its page behind the tables.
  CHECK(texts_of(page, "summary").front() == "kernel=k4 time_s");
  CHECK(texts_of(page, "h2", "").size() > 4 * 2 * kKernels);
  CHECK_THAT(page, !ContainsSubstring("How far can it be trusted?"));

  const std::string judged = run({"report", "all.jsonl", "runs.csv"}).output;
  CHECK(markup_problem(judged).empty());
  CHECK(texts_of(judged, "title").front() == "10 models: all.jsonl on runs.csv");
  CHECK_THAT(judged, ContainsSubstring("How far can it be trusted?"));
  const std::string markdown = run({"report", "all.jsonl", "--format", "md"}).output;
  CHECK_THAT(markdown, ContainsSubstring("### 10 models: all.jsonl"));
  CHECK_THAT(markdown, ContainsSubstring("| k4 |"));
  CHECK(run({"report", "all.jsonl", "--set", "nodes=4"}).exit_code == 2);
  // The page of a picked model names its key.
  const std::string pick = "kernel == 'k3' && target == 'time_s'";
  CHECK(
      texts_of(run({"report", "all.jsonl", "runs.csv", "--pick", pick}).succeeded().output, "title")
          .front() == "kernel=k3 time_s: all.jsonl on runs.csv");
  CHECK(run({"report", "all.jsonl", "--pick", pick}).exit_code == 2);  // judged on which runs?
}

TEST_CASE_METHOD(ProgramTest, "a page of several targets has its models by target",
                 "[many][report]") {
  std::string csv = "gpus,time_s,energy_j\n";
  for (const int gpus : {1, 2, 3, 4, 6, 8, 12, 16})
    csv += csv_row(gpus, 0.5 + 8.0 / gpus, 100 + 7.0 * gpus);
  write("runs.csv", csv);
  run({"fit", "runs.csv", "--target", "time_s,energy_j", "-o", "both.jsonl"}).succeeded();
  CHECK_THAT(run({"report", "both.jsonl"}).output,
             ContainsSubstring("Models of runs.csv by target, the most costly first"));
}
