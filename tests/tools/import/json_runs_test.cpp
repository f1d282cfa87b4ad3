#include <fmt/core.h>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/readers.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "support/program_fixture.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

class JsonRunsTest : public ProgramTest {
 public:
  struct Run {
    int size;
    int threads;
    double time;  ///< in seconds
  };
  static std::vector<Run> measured() {
    std::vector<Run> out;
    for (const int size : {1, 4, 9, 16})
      for (const int threads : {1, 2, 4})
        out.push_back({size, threads, 0.5 * size * std::sqrt(size) / threads});
    return out;
  }

  static std::string google_benchmark() {
    nlohmann::json entries;
    for (const Run& run : measured())
      for (const std::string type : {"iteration", "aggregate"})
        entries.push_back(
            {{"name", fmt::format("BM_x/{}/real_time/threads:{}", run.size, run.threads)},
             {"run_type", type},
             {"aggregate_name", "stddev"},
             {"iterations", 1000 / run.time},
             {"real_time", 1000 * run.time},
             {"cpu_time", 900 * run.time},
             {"items_per_second", run.size / run.time},
             {"time_unit", "ms"}});
    return nlohmann::json{{"context", {{"num_cpus", 4}}}, {"benchmarks", entries}}.dump(1);
  }
  static std::string hyperfine() {
    nlohmann::json results;
    for (const Run& run : measured())
      results.push_back(
          {{"command", fmt::format("./x {} {}", run.size, run.threads)},
           {"mean", run.time},
           {"times", {run.time, run.time, 9}},
           {"exit_codes", {0, 0, 1}},
           {"parameters",
            {{"size", std::to_string(run.size)}, {"threads", std::to_string(run.threads)}}}});
    return nlohmann::json{{"results", results}}.dump(1);
  }
  static std::string asv() {
    nlohmann::json times;
    for (const Run& run : measured())
      times.push_back(run.time);
    times[5] = nullptr;
    const nlohmann::json values = {{"1", "4", "9", "16"}, {"1", "2", "4"}};
    return nlohmann::json{{"version", 2},
                          {"commit_hash", "abc"},
                          {"params", {{"machine", "m"}, {"ram", "1"}}},
                          {"result_columns", {"result", "params", "version"}},
                          {"results", {{"x.time_x", {times, values, "v"}}}}}
        .dump();
  }
  static std::string lines() {
    std::string text;
    for (const Run& run : measured())
      text += nlohmann::json{{"size", run.size},
                             {"model", {{"threads", run.threads}}},
                             {"time", {run.time, run.time}}}
                  .dump() +
              "\n";
    return text;
  }
};

}  // namespace

TEST_CASE_METHOD(JsonRunsTest, "runs of tools are fitted, by their content and by their format",
                 "[json-runs]") {
  const auto [format, bytes, size, threads, time] =
      GENERATE(table<std::string, std::string, std::string, std::string, std::string>({
          {"google-benchmark", google_benchmark(), "arg1", "threads", "real_time"},
          {"hyperfine", hyperfine(), "size", "threads", "time"},
          {"asv", asv(), "param1", "param2", "time"},
          {"json", lines(), "size", "model.threads", "time"},
      }));
  CAPTURE(format);
  write("runs.json", bytes);
  const Words fit = {"fit",   "runs.json", "--target", time,       "--extrinsic",
                     threads, "-o",        "m.json",   "--failed", "drop"};
  for (const Words& further : {Words{}, Words{"--input-format", format}}) {
    run(fit, further).succeeded();
    CHECK(
        std::stod(
            run({"predict", "m.json", "--set", size + "=25", threads + "=8"}).succeeded().output) ==
        Catch::Approx(0.5 * 125 / 8).epsilon(0.01));
  }
}

TEST_CASE_METHOD(JsonRunsTest,
                 "import writes JSON as CSV, by the rules of the format that is named",
                 "[json-runs]") {
  write("runs.jsonl", lines());
  const ProgramResult imported = run({"import", "runs.jsonl"}).succeeded();
  CHECK(imported.output.starts_with("model.threads,size,time\n1,1,0.5\n1,1,0.5\n2,1,0.25\n"));
  CHECK_THAT(imported.errors, ContainsSubstring("24 runs of 3 columns"));
  // Standard input is read as a file is.
  program_options.input = lines();
  CHECK(run({"import", "-"}).output == imported.output);
  // The times of a result and its exit codes are lists of equal length.
  write("hyperfine.json", hyperfine());
  CHECK(run({"import", "hyperfine.json", "--input-format", "json"})
            .output.starts_with("command,mean,parameters.size,parameters.threads,exit_codes,"
                                "times\n./x 1 1,0.5,1,1,0,0.5\n"));
}

TEST_CASE_METHOD(JsonRunsTest, "results of several calls of a benchmark are one table",
                 "[json-runs]") {
  Words fit = {"fit"};
  for (const Run& measured_run : measured()) {
    const nlohmann::json result = {{"backend", "vllm"},
                                   {"max_concurrency", measured_run.threads},
                                   {"random_input_len", measured_run.size},
                                   {"mean_e2el_ms", 1000 * measured_run.time},
                                   // results and the date, which are no inputs
                                   {"date", fmt::format("20251120-{}", fit.size())},
                                   {"duration", 20 * measured_run.time},
                                   {"completed", 10 * measured_run.threads},
                                   {"p99_e2el_ms", 1100 * measured_run.time},
                                   {"ttfts", {0.1, 0.2}},
                                   {"itls", {{0.1}, {0.2, 0.3}}}};
    fit.push_back(fmt::format("{}-{}.json", measured_run.size, measured_run.threads));
    write(fit.back(), result.dump());
  }
  fit.insert(fit.end(),
             {"--target", "mean_e2el_ms", "--extrinsic", "max_concurrency", "-o", "model.json"});
  const ProgramResult result = run(fit).succeeded();
  CHECK_THAT(result.errors, ContainsSubstring("12 rows"));
  const std::string notice = "are left out: itls and ttfts.";
  const std::size_t place = result.errors.find(notice);
  REQUIRE(place != std::string::npos);
  CHECK(result.errors.find(notice, place + 1) == std::string::npos);  // once for all files
  CHECK_THAT(run({"import", fit[1]}).errors, ContainsSubstring(notice));
  CHECK(
      std::stod(run({"predict", "model.json", "--set", "random_input_len=25", "max_concurrency=8"})
                    .output) == Catch::Approx(1000 * 0.5 * 125 / 8).epsilon(0.01));
}

TEST_CASE_METHOD(JsonRunsTest, "benchmarks with other arguments are fitted one by one",
                 "[json-runs][by]") {
  nlohmann::json entries;
  for (const int size : {1, 4, 9, 16, 25}) {
    entries.push_back({{"name", fmt::format("BM_a/{}", size)},
                       {"real_time", 3 * size},
                       {"cpu_time", 3},
                       {"bytes", 7 * size}});
    entries.push_back(
        {{"name", fmt::format("BM_b/n:{}", size)}, {"real_time", 2 * size}, {"cpu_time", 3}});
  }
  write("both.json", nlohmann::json{{"context", {{"x", 1}}}, {"benchmarks", entries}}.dump());
  run({"fit", "both.json", "--target", "real_time", "--extrinsic", "none", "--by", "benchmark",
       "-o", "set.jsonl"})
      .succeeded();
  const auto time_of = [&](const std::string& benchmark, const std::string& column) {
    return std::stod(run({"predict", "set.jsonl", "--pick", "benchmark == \"" + benchmark + "\"",
                          "--set", column + "=12"})
                         .succeeded()
                         .output);
  };
  CHECK(time_of("BM_a", "arg1") == Catch::Approx(36e-9).epsilon(0.05));
  CHECK(time_of("BM_b", "n") == Catch::Approx(24e-9).epsilon(0.05));
}

TEST_CASE_METHOD(JsonRunsTest, "JSON that is cut off is refused", "[json-runs]") {
  for (const std::string& whole : {google_benchmark(), hyperfine(), asv(), lines()}) {
    std::size_t read = 0;
    for (std::size_t size = 1; size < whole.size(); ++size) {
      try {
        perfmodel::read_json(whole.substr(0, size), "runs.json", {});
        ++read;
      } catch (const perfmodel::InputError& error) {
        CHECK_THAT(error.what(), ContainsSubstring("runs.json"));
      }
    }
    // Whole lines are whole files.
    CHECK(read == (whole == lines() ? 2 * measured().size() - 1 : whole.ends_with('\n') ? 1 : 0));
    for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 12) {
      write("cut.json", std::string_view(whole).substr(0, size));
      const ProgramResult result = run({"import", "cut.json"});
      CHECK((size > 0 && whole == lines() && result.exit_code == 0) + (result.exit_code == 3) == 1);
      CHECK_THAT(result.errors, ContainsSubstring("cut.json") || ContainsSubstring("runs of"));
    }
  }
}
