#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/readers.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/reading.hpp"
#include "support/catch.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::Message;

std::string csv_of_tool(std::string_view bytes, std::optional<InputFormat> format = {}) {
  return read_json(bytes, "out.json", {.format = format}).csv();
}

std::string google_benchmark(const std::string& entries) {
  return R"({"context": {"num_cpus": 4, "caches": [{"level": 1}], "load_avg": [1, 2]},
             "benchmarks": [)" +
         entries + "]}";
}

TEST_CASE("names of Google Benchmark hold the arguments", "[json-runs]") {
  const std::string text = google_benchmark(
      R"({"name": "ns::BM<int>/8/size:64/fast/min_time:0.500/real_time/threads:4",
          "run_type": "iteration", "threads": 4, "iterations": 1000, "real_time": 1.25e1,
          "cpu_time": 3, "time_unit": "us", "items_per_second": 2.5e9, "label": "a"},
         {"name": "ns::BM<int>/16/-2/process_time", "iterations": 10, "real_time": 7,
          "cpu_time": 6.5})");
  const std::string csv =
      "benchmark,arg1,size,threads,real_time,cpu_time,items_per_second,label,arg2\n"
      "ns::BM<int>/fast,8,64,4,12.5us,3us,2.5e+09,a,\n"
      "ns::BM<int>,16,,,7ns,6.5ns,,,-2\n";
  CHECK(csv_of_tool(text) == csv);
  CHECK(csv_of_tool(text, InputFormat::google_benchmark) == csv);
  CHECK_THROWS_MATCHES(csv_of_tool(text, InputFormat::hyperfine), InputError,
                       Message("out.json is JSON, but not that of hyperfine"));
  CHECK_THROWS_MATCHES(
      csv_of_tool(
          google_benchmark(R"({"name": "BM/real_time:1", "real_time": 7, "cpu_time": 6.5})")),
      InputError, Message("out.json: benchmarks[0]: the column 'real_time' stands twice"));
  CHECK_THROWS_MATCHES(csv_of_tool(google_benchmark(R"({"name": "BM", "real_time": 7})")),
                       InputError,
                       Message("out.json: the field benchmarks[0].cpu_time is missing"));
}

TEST_CASE("repetitions of Google Benchmark are runs, statistics of them are not", "[json-runs]") {
  const auto entry = [](const std::string& name, const std::string& statistic, int time) {
    return R"({"name": ")" + name + (statistic.empty() ? "" : "_" + statistic) +
           R"(", "run_name": ")" + name + R"(", "run_type": ")" +
           (statistic.empty() ? "iteration" : R"(aggregate", "aggregate_name": ")" + statistic) +
           R"(", "real_time": )" + std::to_string(time) + R"(, "cpu_time": 1, "time_unit": "ms"})";
  };
  CHECK(csv_of_tool(google_benchmark(entry("a", "", 1) + "," + entry("a", "", 2) + "," +
                                     entry("a", "mean", 3) + "," + entry("b", "mean", 4) + "," +
                                     entry("b", "stddev", 5))) ==
        "benchmark,real_time,cpu_time\na,1ms,1ms\na,2ms,1ms\nb,4ms,1ms\n");
  // Early versions have only names; the order of growth has no time.
  CHECK(csv_of_tool(google_benchmark(
            R"({"name": "a/8", "real_time": 1, "cpu_time": 2},
               {"name": "a/8_median", "real_time": 3, "cpu_time": 4},
               {"name": "a_BigO", "cpu_coefficient": 1, "real_coefficient": 2, "big_o": "N"},
               {"name": "a_RMS", "rms": 0.1},
               {"name": "b/8_mean", "real_time": 5, "cpu_time": 6})")) ==
        "benchmark,arg1,real_time,cpu_time\na,8,1ns,2ns\nb,8,5ns,6ns\n");
}

TEST_CASE("times and counters of tools are declared as results", "[json-runs]") {
  using Names = std::vector<std::string>;
  const auto results = [](std::string_view bytes) {
    return read_json(bytes, "out.json", {}).results();
  };
  CHECK(results(google_benchmark(
            R"({"name": "a/8/size:2", "real_time": 1, "cpu_time": 2, "label": "x", "peak": 3,
                "size": 4})")) == Names{"real_time", "cpu_time", "label", "peak", "counters.size"});
  CHECK(results(R"({"results": [{"command": "x", "times": [1], "memory_usage_byte": [2],
                                 "parameters": {"n": "8"}}]})") ==
        Names{"time", "memory_usage_byte"});
  CHECK(results(R"({"commit_hash": "a", "results": {"time_a": 1, "mem_b": 2, "track_c": 3}})") ==
        Names{"time", "memory_bytes", "value"});
}

TEST_CASE("benchmarks that failed or were skipped have no times", "[json-runs]") {
  CHECK(csv_of_tool(google_benchmark(
            R"({"name": "a", "error_occurred": true, "error_message": "no device", "real_time": 0,
                "cpu_time": 0, "time_unit": "ns"},
               {"name": "b", "skipped": true, "skip_message": "no", "real_time": 0, "cpu_time": 0},
               {"name": "c", "error_occurred": false, "real_time": 1, "cpu_time": 5e-324})")) ==
        "benchmark,real_time,cpu_time\na,error,error\nb,,\nc,1ns,0." + std::string(323, '0') +
            "5ns\n");
}

TEST_CASE("times of hyperfine are runs of a command or of parameters", "[json-runs]") {
  CHECK(csv_of_tool(R"({"results": [
          {"command": "sleep 1", "mean": 1, "stddev": 0, "user": 0.1, "times": [1.01, 0.99],
           "exit_codes": [0, 0]},
          {"command": "sleep 2", "mean": 2.5, "times": [2.5], "memory_usage_byte": [4096]},
          {"command": "sleep 3", "mean": 3.5}]})") ==
        "command,time,memory_usage_byte\nsleep 1,1.01s,\nsleep 1,0.99s,\nsleep 2,2.5s,4096\n"
        "sleep 3,3.5s,\n");
  const std::string swept = R"({"results": [
      {"command": "./x -n 8", "mean": 1, "times": [1.5, 1, 2], "exit_codes": [0, 1, null],
       "parameters": {"n": "8", "mode": "a"}},
      {"command": "./x -n 16", "mean": 2, "times": [3], "exit_codes": [0],
       "parameters": {"n": "16", "mode": "a"}}]})";
  CHECK(csv_of_tool(swept) == "n,mode,time\n8,a,1.5s\n8,a,failed\n8,a,failed\n16,a,3s\n");
  CHECK(csv_of_tool(R"({"results": [
          {"command": "./x 8", "mean": 1, "times": [1], "parameters": {"n": "8"}},
          {"command": "./y 8", "mean": 2, "times": [3], "parameters": {"n": "8"}}]})") ==
        "n,command,time\n8,./x 8,1s\n8,./y 8,3s\n");
  CHECK_THROWS_MATCHES(
      csv_of_tool(R"({"results": [{"command": "x", "times": [1, 2], "exit_codes": [0]}]})"),
      InputError, Message("out.json: results[0].exit_codes: 1 item for 2 times"));
}

TEST_CASE("results of asv are a row per combination of parameters", "[json-runs]") {
  const std::string text = R"({"version": 2, "commit_hash": "abc", "env_name": "virtualenv",
      "params": {"machine": "m1", "cpu": "x", "num_cpu": "8"},
      "result_columns": ["result", "params", "version", "samples"],
      "results": {
        "join.Suite.time_join": [[0.5, NaN, null, 4e-05, 1, 2],
                                 [["10", "20"], ["'inner'", "\"outer\"", "None"]], "v"],
        "join.peakmem_join": [[728], []],
        "join.track_size": [[3, 4], [["1", "2"]]],
        "join.time_broken": [null, [["1", "2"]]],
        "join.time_sampled": [[1.5], [], "v", [[1, 2]]]},
      "durations": {}})";
  CHECK(csv_of_tool(text) ==
        "benchmark,commit,machine,param1,param2,time,memory_bytes,value\n"
        "join.Suite.time_join,abc,m1,10,inner,0.5s,,\n"
        "join.Suite.time_join,abc,m1,10,outer,,,\n"
        "join.Suite.time_join,abc,m1,10,None,failed,,\n"
        "join.Suite.time_join,abc,m1,20,inner,0.00004s,,\n"
        "join.Suite.time_join,abc,m1,20,outer,1s,,\n"
        "join.Suite.time_join,abc,m1,20,None,2s,,\n"
        "join.peakmem_join,abc,m1,,,,728,\n"
        "join.track_size,abc,m1,1,,,,3\n"
        "join.track_size,abc,m1,2,,,,4\n"
        "join.time_broken,abc,m1,,,failed,,\n"
        "join.time_sampled,abc,m1,,,1s,,\n"
        "join.time_sampled,abc,m1,,,2s,,\n");
  CHECK(csv_of_tool(R"({"version": 1, "commit_hash": "abc", "params": {"machine": "m"},
                        "results": {"time_a": 0.5, "mem_b": null,
                                    "time_c": {"result": [1, 2], "params": [["x", "y"]]}}})") ==
        "benchmark,commit,machine,time,memory_bytes,param1\ntime_a,abc,m,0.5s,,\nmem_b,abc,m,,"
        "failed,\n"
        "time_c,abc,m,1s,,x\ntime_c,abc,m,2s,,y\n");
  CHECK_THROWS_MATCHES(
      csv_of_tool(R"({"commit_hash": "abc", "result_columns": ["result", "params"],
                      "results": {"time_a": [[1, 2], [["x", "y"], ["z", "w"]]]}})"),
      InputError,
      Message("out.json: results.time_a: the number of results is not that of combinations of "
              "parameters"));
}

}  // namespace
}  // namespace perfmodel
