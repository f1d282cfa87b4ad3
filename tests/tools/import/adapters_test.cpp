// Files of tools as their documents show them: what a run is, what was set and what was measured.

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
using Columns = std::vector<std::string>;

NamedRows rows_of(std::string_view bytes, std::optional<InputFormat> format = {},
                  const std::string& source = "out.json") {
  return read_json(bytes, source, {.format = format});
}

const std::string kPytest = R"({
  "machine_info": {"node": "host", "cpu": {"count": 8}}, "commit_info": {"id": "abc"},
  "benchmarks": [
    {"name": "test_sort[10]", "params": {"n": 10}, "extra_info": {}, "options": {"warmup": false},
     "stats": {"mean": 0.001, "stddev": 1e-5, "rounds": 3, "ops": 1000}},
    {"name": "test_join[10]", "params": {"n": 10}, "extra_info": {"rows": 5},
     "stats": {"mean": 0.5, "data": [0.25, 0.75]}}],
  "version": "4.0.0"})";

TEST_CASE("benchmarks of pytest are runs of a function with parameters", "[json-runs][adapters]") {
  const NamedRows rows = rows_of(kPytest);
  CHECK(rows.csv() ==
        "n,name,time,rows\n10,test_sort,0.001s,\n10,test_join,0.25s,5\n10,test_join,0.75s,5\n");
  CHECK(rows.results() == Columns{"time"});
  CHECK(rows_of(kPytest, InputFormat::pytest_benchmark).csv() == rows.csv());
  CHECK_THROWS_MATCHES(rows_of(kPytest, InputFormat::jmh), InputError,
                       Message("out.json is JSON, but not that of jmh"));
  // As JSON it is a row per benchmark with all that it says.
  CHECK(rows_of(kPytest, InputFormat::json).csv().find("stats.mean") != std::string::npos);
}

TEST_CASE("results of JMH are times or rates in the unit that they tell", "[json-runs][adapters]") {
  const auto jmh = [](const std::string& unit, const std::string& raw) {
    return R"([{"benchmark": "org.B.get", "mode": "x", "threads": 2, "forks": 1,
                "params": {"size": "100"},
                "primaryMetric": {"score": 4.5, "scoreError": 0.1, "scoreUnit": ")" +
           unit + R"(", "rawData": )" + raw + R"(}, "secondaryMetrics": {}}])";
  };
  CHECK(rows_of(jmh("us/op", "[[4, 5], [4.5]]")).csv() ==
        "threads,forks,size,benchmark,time\n2,1,100,org.B.get,4us\n2,1,100,org.B.get,5us\n"
        "2,1,100,org.B.get,4.5us\n");
  const NamedRows rates = rows_of(jmh("ops/ms", "[]"));
  CHECK(rates.csv() == "threads,forks,size,benchmark,ops_per_ms\n2,1,100,org.B.get,4.5\n");
  CHECK(rates.results() == Columns{"ops_per_ms"});
}

TEST_CASE("settings with one name, or that of the result, have their object's before it",
          "[json-runs][adapters]") {
  CHECK(rows_of(R"({"machine_info": {}, "benchmarks": [
          {"name": "a", "params": {"n": 1, "time": 5}, "extra_info": {"n": 2},
           "stats": {"mean": 0.5}}]})")
            .csv() == "n,params.time,extra_info.n,name,time\n1,5,2,a,0.5s\n");
}

TEST_CASE("jobs of fio have what was asked for and what was measured", "[json-runs][adapters]") {
  const NamedRows rows = rows_of(R"({
    "fio version": "fio-3.33", "timestamp": 1700000000, "global options": {"bs": "4k"},
    "jobs": [
      {"jobname": "a", "job options": {"iodepth": "1"}, "error": 0,
       "read": {"iops": 1500.5, "bw_bytes": 6146048, "lat_ns": {"mean": 660000.0}},
       "write": {"iops": 0, "bw_bytes": 0, "lat_ns": {"mean": 0}}},
      {"jobname": "b", "job options": {"iodepth": "2"}, "error": 5,
       "read": {"iops": 2900, "bw_bytes": 11878400, "lat_ns": {"mean": 680000.0}}}]})");
  CHECK(rows.csv() ==
        "bs,iodepth,read.iops,read.bw_bytes,read.lat_ns.mean\n4k,1,1500.5,6146048,660000ns\n"
        "4k,2,failed,failed,failed\n");
  CHECK(rows.results() == Columns{"read.iops", "read.bw_bytes", "read.lat_ns.mean"});
}

TEST_CASE("the path of criterion's estimates tells the benchmark", "[json-runs][adapters]") {
  const std::string estimates =
      R"({"mean": {"point_estimate": 1250.5, "standard_error": 2.5},
          "median": {"point_estimate": 1240}, "std_dev": {"point_estimate": 20}})";
  CHECK(rows_of(estimates, {}, "target/criterion/sort/quick/1000/new/estimates.json").csv() ==
        "benchmark,size,time\nsort/quick,1000,1250.5ns\n");
  CHECK(rows_of(estimates, {}, "estimates.json").csv() == "time\n1250.5ns\n");
  CHECK_THROWS_MATCHES(rows_of(estimates, {}, "criterion/sort/change/estimates.json"), InputError,
                       Message("criterion/sort/change/estimates.json has changes between two runs; "
                               "the times are in new"));
}

TEST_CASE("jobs that seff printed are runs", "[json-runs][adapters]") {
  const std::string text =
      "Job ID: 7\nCluster: c\nState: COMPLETED (exit code 0)\nCores: 4\n"
      "CPU Utilized: 00:11:28\nCPU Efficiency: 26.46% of 00:43:20 core-walltime\n"
      "Job Wall-clock time: 00:10:50\nMemory Utilized: 5.58 GB\n"
      "Memory Efficiency: 69.77% of 8.00 GB\n\n"
      "Job ID: 8\r\nCluster: c\r\nState: OUT_OF_MEMORY (exit code 0)\r\nCores: 8\r\n"
      "Job Wall-clock time: 00:05:00\r\nWARNING: Efficiency statistics may be misleading\r\n";
  CHECK(is_seff(text));
  CHECK_FALSE(is_seff("Job ID,State\n1,COMPLETED\n"));
  const NamedRows rows = read_seff(text, "seff.txt", {});
  CHECK(rows.csv() ==
        "Job ID,Cluster,State,Cores,CPU Utilized,CPU Efficiency,Job Wall-clock time,"
        "Memory Utilized,Memory Efficiency\n"
        "7,c,COMPLETED,4,688s,26.46%,650s,5.58 GiB,69.77%\n"
        "8,c,OUT_OF_MEMORY,8,,,out_of_memory,,\n");
  CHECK(rows.results() == Columns{"CPU Utilized", "CPU Efficiency", "Job Wall-clock time",
                                  "Memory Utilized", "Memory Efficiency"});
}

}  // namespace
}  // namespace perfmodel
