// What the first command takes for the target and for results where no flag says it.

#include <algorithm>
#include <string>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/table.hpp"
#include "roles/cut_runs.hpp"
#include "roles/left_out.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/message_of.hpp"
#include "support/runs_text.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::table_of;
using Texts = std::vector<std::string>;

/// The columns that are results by the rules, in the order of their names.
Texts results_among(const std::string& csv, const RoleRequest& request = {}) {
  Texts names;
  for (const LeftOut& item : resolve_roles(table_of(csv), request).left_out)
    if (item.because == LeftOut::Because::result)
      names.push_back(item.column);
  std::ranges::sort(names);
  return names;
}

/// The column of a throughput that is taken for what was measured; empty if there is none.
std::string rate_of(const Table& table) {
  const auto measured = measured_column(table, {});
  return measured && measured->is_rate ? measured->name : "";
}

const std::string kStatisticsOfRuns =
    "commit,count,min,max,stddev,mean_ms,size\n"
    "a,10,1.0,1.3,0.1,1.12,100\n"
    "a,12,2.0,2.3,0.1,2.15,200\n"
    "a,11,4.1,4.4,0.1,4.20,400\n"
    "b,10,8.0,8.9,0.2,8.30,800\n"
    "b,10,1.0,1.2,0.1,1.10,100\n"
    "b,10,2.0,2.5,0.1,2.10,200\n"
    "b,10,3.9,4.4,0.1,4.10,400\n";

}  // namespace

TEST_CASE("statistics of the runs behind a row are no inputs", "[roles][results]") {
  const Texts results = results_among(kStatisticsOfRuns);
  CHECK(contains(results, "max"));
  CHECK(contains(results, "stddev"));
  const Roles roles = resolve_roles(table_of(kStatisticsOfRuns), {});
  CHECK(roles.target == "mean_ms");
  // A flag keeps them, and a count without statistics is a setting.
  RoleRequest kept;
  kept.intrinsic = Texts{"size", "count"};
  CHECK(resolve_roles(table_of(kStatisticsOfRuns), kept).intrinsic == Texts{"count", "size"});
  CHECK(results_among("count,low,high,time_s\n1,1,2,3.5\n2,1,3,6.9\n4,2,3,14\n8,2,4,28\n").empty());
}

TEST_CASE("a spread with the name of the target is no input", "[roles][results]") {
  RoleRequest request;
  request.target = "tput";
  CHECK(results_among("threads,tput,tput_err\n1,100,2\n2,190,2\n4,360,2\n8,500,3\n", request) ==
        Texts{"tput_err"});
  request.target = "p95";
  CHECK(results_among("nodes,gpus,p50,p75,p95\n1,1,122,122,121\n1,2,115,115,114\n1,4,111,111,111\n"
                      "1,8,110,109,107\n2,8,80,80,76\n",
                      request) == Texts{"p50", "p75"});
}

TEST_CASE("measured parts of the target are no inputs and settings of its size are",
          "[roles][results]") {
  CHECK(results_among("threads,first,second,total\n1,10.2,20.1,30.5\n2,5.3,10.5,15.9\n"
                      "4,2.9,5.6,8.6\n8,1.7,3.2,5.0\n") == Texts{"first", "second"});
  // Parts that the sum does not need are as small as its rest.
  RoleRequest request;
  request.target = "total";
  CHECK(
      results_among("threads,first,second,other,total\n1,10.2,20.1,0.2,30.5\n2,5.3,10.5,0.1,15.9\n"
                    "4,2.9,5.6,0.05,8.6\n8,1.7,3.2,0.08,5.0\n",
                    request) == Texts{"first", "other", "second"});
  // Settings as large as the target.
  CHECK(results_among("threads,first,second,time_s\n1,10,20,30.5\n2,10,40,15.9\n1,20,20,28.6\n"
                      "2,20,40,15.0\n")
            .empty());
}

TEST_CASE("a copy of the target that was rounded is no input", "[roles][results]") {
  std::string csv = "gpus,kind,speed,time_s\n";
  for (const auto& [gpus, time, speed] :
       std::vector<std::tuple<int, const char*, const char*>>{{1, "10.13", "0.10"},
                                                              {2, "5.21", "0.19"},
                                                              {4, "2.74", "0.36"},
                                                              {8, "1.52", "0.66"},
                                                              {16, "0.97", "1.03"},
                                                              {32, "0.71", "1.41"}})
    csv += std::to_string(gpus) + ",a," + speed + "," + time + "\n";
  CHECK(results_among(csv) == Texts{"speed"});
}

TEST_CASE("memory with a unit and digits beside a time is a result and sizes of inputs are not",
          "[roles][results]") {
  const std::string rows =
      "1,12.31 GB,301 ms\n2,12.42 GB,160 ms\n4,12.65 GB,88 ms\n8,13.04 GB,52 ms\n";
  CHECK(results_among("gpus,held,step_time\n" + rows) == Texts{"held"});
  CHECK(results_among("gpus,file_size,step_time\n" + rows).empty());
  CHECK(results_among("gpus,bucket,step_time\n1,1 MB,301 ms\n1,2 MB,160 ms\n1,4 MB,88 ms\n"
                      "2,8 MB,52 ms\n")
            .empty());
}

TEST_CASE("hashes name runs", "[roles][results]") {
  const Roles roles = resolve_roles(
      table_of("size,built,time_s\n1,9f3a2b,1.1\n2,17cc9e,2.1\n4,aa81f0,4.2\n8,bb1234,8.0\n"), {});
  REQUIRE(roles.left_out.size() == 1);
  CHECK(roles.left_out[0].column == "built");
  CHECK(roles.left_out[0].because == LeftOut::Because::label);
  // Words of the same letters are levels.
  CHECK(resolve_roles(table_of("size,food,time_s\n1,decaf,1.1\n2,facade,2.1\n4,bead,4.2\n"), {})
            .categorical == Texts{"food"});
}

TEST_CASE("a rate is the target where there is no time", "[roles][results]") {
  const Table rates = table_of("cores,logs_per_s\n1,128\n2,256\n4,517\n");
  CHECK(rate_of(rates) == "logs_per_s");
  CHECK(rate_of(table_of("cores,logs_per_s,time_s\n1,128,3\n2,256,2\n")).empty());
  const Table two = table_of("cores,read_per_s,logs_per_s\n1,1,128\n2,3,256\n");
  CHECK(rate_of(two).empty());
  CHECK_THAT(test::message_of<InputError>([&] { resolve_roles(two, {}); }),
             ContainsSubstring("pass, for example: --throughput-target logs_per_s, or "
                               "--throughput-target read_per_s"));
}

TEST_CASE("the name of an amount makes it the target where there is neither time nor rate",
          "[roles][results]") {
  CHECK(resolve_roles(table_of("layers,peak_rss,width\n2,800,64\n4,900,128\n8,1000,96\n"), {})
            .target == "peak_rss");
  CHECK(resolve_roles(table_of("layers,peak_rss,step_ms\n2,800,64\n4,900,128\n8,1000,96\n"), {})
            .target == "step_ms");
}

TEST_CASE("of the statistics of one quantity the most typical is the target", "[roles][results]") {
  const auto target_of = [](const std::string& header) {
    return resolve_roles(
               table_of(header + "\n1,3.5,0.1,3.7,10\n2,6.9,0.2,7.3,10\n4,14,0.4,15,11\n"), {})
        .target;
  };
  CHECK(target_of("size,mean,stddev,max,n") == "mean");
  CHECK(target_of("size,p50,p25,p99,count") == "p50");
  CHECK(target_of("size,time_mean,time_std,time_max,runs") == "time_mean");
  CHECK(target_of("size,run_ms,run_ms_std,run_ms_max,n") == "run_ms");
}

TEST_CASE("a time is known by its unit, by capitals and by a word of its name",
          "[roles][results]") {
  const auto target_of = [](const std::string& header, const std::string& rows) {
    return resolve_roles(table_of(header + "\n" + rows), {}).target;
  };
  const std::string three = "1,2.5,7\n2,4.4,9\n4,9.1,8\n";
  CHECK(target_of("size,TimeSeconds,MaxMemoryMB", three) == "TimeSeconds");
  CHECK(target_of("size,\"Time, s\",other", three) == "Time, s");
  CHECK(target_of("size,time_taken,other", three) == "time_taken");
  CHECK(target_of("size,Average latency per request,other", three) ==
        "Average latency per request");
  CHECK(target_of("size,wall/step,efficiency", "1,2.5 ms,7\n2,4.4 ms,9\n4,9.1 ms,8\n") ==
        "wall/step");
  CHECK(target_of("size,limit,spent", "1,30 s,2.5\n2,40 s,4.4\n4,60 s,9.1\n") == "spent");
  CHECK(target_of("size,mean,Runtime", "1,5.2 ms,Core\n2,3.6 ms,Mono\n4,5.1 ms,Core\n") == "mean");
}

TEST_CASE("behind the slash of a time stands its unit", "[roles][results]") {
  for (const char* name : {"Zeit/s", "Time / s", "Dauer/min", "Temps/s", "runtime/ms"}) {
    INFO(name);
    const Roles roles =
        resolve_roles(table_of(std::string("n,") + name + "\n1,2.5\n2,4.4\n4,9.1\n"), {});
    CHECK(roles.target == name);
    CHECK_FALSE(roles.throughput);
    CHECK_FALSE(names_throughput(name));
  }
  CHECK(names_throughput("requests/s"));
  CHECK(names_throughput("S_TG t/s"));  // tokens
}

TEST_CASE("what is computed from results is no target and an outcome is one", "[roles][results]") {
  const auto target_of = [](const std::string& header) {
    return resolve_roles(table_of(header + "\n1,2.5,7\n2,4.4,9\n4,9.1,8\n"), {}).target;
  };
  CHECK(target_of("size,spent,speedup") == "spent");
  CHECK(target_of("size,actual,ideal") == "actual");
  CHECK(target_of("size,score,width") == "score");
  CHECK(rate_of(table_of("size,qps,recall/ap\n1,2.5,7\n2,4.4,9\n4,9.1,8\n")) == "qps");
  CHECK(rate_of(table_of("GPUs,Throughput,Throughput speedup\n1,2.5,7\n2,4.4,9\n")) ==
        "Throughput");
  CHECK(rate_of(table_of("size,bandwidth_GBps\n1,2.5\n2,4.4\n")) == "bandwidth_GBps");
}

TEST_CASE("a result with cells that are no numbers is left out with them", "[roles][results]") {
  CHECK(results_among("size,Temperature,CPU Load (%),time_s\n1,N/A,-3.2,2.5\n2,61.5,11.2,4.4\n"
                      "4,63.1,10.6,9.1\n8,n/a,4.5,17\n") == Texts{"CPU Load (%)", "Temperature"});
}

TEST_CASE("a target without a number in its first row does not end the search for results",
          "[roles][results]") {
  CHECK_THAT(test::message_of<InputError>([] {
               resolve_roles(table_of("size,work,time\n1,2.5,-\n2,4.4,5\n4,8.7,9\n8,16.1,17\n"),
                             {});
             }),
             ContainsSubstring("\"-\" is not a number"));
}

TEST_CASE("several times are refused with a flag for each", "[roles][results]") {
  const Table table = table_of("batch,itl_ms,ttft_ms\n1,7.1,24\n64,9.6,310\n");
  CHECK_THAT(test::message_of<InputError>([&] { resolve_roles(table, {}); }),
             ContainsSubstring("--target ttft_ms") && ContainsSubstring("--target itl_ms"));
  RoleRequest request;
  request.target = "itl_ms";
  CHECK(results_among("batch,itl_ms,ttft_ms\n1,7.1,24\n64,9.6,310\n", request) == Texts{"ttft_ms"});
}

TEST_CASE("a unit before the thing is one of time", "[roles][results]") {
  for (const char* name : {"ns_per_op", "ms/token", "s_per_epoch"})
    CHECK(
        resolve_roles(table_of(std::string("size,") + name + "\n1,2.5\n2,4.4\n4,9.1\n"), {}).unit ==
        std::string(name).substr(0, std::string(name).find_first_of("_/")));
}

TEST_CASE("names beside numbers are levels and a single text among numbers is a mistake",
          "[roles][results]") {
  const Roles gpus = resolve_roles(
      table_of("gpu,threads,time_s\nA100,1,3\nA100,2,2\n4090,1,5\n4090,2,3\nL4,1,9\nL4,2,5\n"), {});
  CHECK(gpus.categorical == Texts{"gpu"});
  CHECK(std::ranges::count(gpus.notices,
                           "Column 'gpu' has names besides numbers and is taken as categorical.") ==
        1);
  const Roles stages = resolve_roles(
      table_of("stage,size,time_s\n3,1,3\n2,1,2\n3,2,5\n2,2,3\nnone,1,9\nnone,2,5\n"), {});
  CHECK(stages.categorical == Texts{"stage"});
  const auto refused = [](const std::string& csv) {
    return test::message_of<InputError>([&] { resolve_roles(table_of(csv), {}); });
  };
  CHECK_THAT(refused("stage,size,time_s\n3,1,3\n2,1,2\n3,2,5\n2,2,3\nx,1,9\n2,2,5\n"),
             ContainsSubstring("\"x\" is not a number"));
  const Roles missing = resolve_roles(
      table_of("stage,size,time_s\n3,1,3\n2,1,2\n3,2,5\n2,2,3\nn/a,1,9\nn/a,2,5\n"), {});
  CHECK(missing.left_out.at(0).column == "stage");
  CHECK_THAT(refused("workers,size,time_s\n3,1,3\n2,1,2\n3,2,5\n2,2,3\nnone,1,9\nnone,2,5\n"),
             ContainsSubstring("\"none\" is not a number"));
}

TEST_CASE("a time of 0.00 is half of its last digit and a whole 0 is none", "[roles][results]") {
  Table coarse = table_of("params,time_s\n1,0.00\n2,0.06\n4,0.25\n8,2.22\n");
  CHECK(raise_to_resolution("time_s", coarse) ==
        "1 cell of 'time_s' is below its last digit, 0.01, and counts as half of it.");
  CHECK(coarse.at("time_s").numbers == std::vector<double>{0.005, 0.06, 0.25, 2.22});
  for (const char* csv :
       {"params,time_s\n1,0\n2,6\n4,25\n", "params,time_s\n1,0.0000\n2,12.3456\n4,25.1234\n",
        "params,time_s\n1,0.00\n2,1e-2\n4,2.5\n"}) {
    Table table = table_of(csv);
    INFO(csv);
    CHECK(raise_to_resolution("time_s", table).has_value() ==
          (std::string_view(csv).find("1e-2") != std::string_view::npos));
  }
}

TEST_CASE("loads, energies and what is measured of the same thing as the target are results",
          "[roles][results]") {
  std::string csv = "size,CPU load (%),energy_j,bytes_per_op,ns_per_op\n";
  for (int i = 0; i < 16; ++i)
    csv += test::csv_row(1 << i % 4, 11.3 + 3.7 * (i * i % 7), 0.013 * (5 + i * i % 11),
                         8.5 * (1 << i % 4) + i % 3, 12.4 * (1 << i % 4) + 0.3 * (i * 7 % 5));
  CHECK(results_among(csv) == Texts{"CPU load (%)", "bytes_per_op", "energy_j"});
}

TEST_CASE("a count beside statistics stays where it is the only setting", "[roles][results]") {
  const Roles roles = resolve_roles(table_of("n,mean_ms,stddev_ms,min_ms,max_ms\n"
                                             "64,25.1,1.4,23.9,27.4\n128,26.2,1.6,24.4,27.7\n"
                                             "256,28.4,1.3,27.1,30.0\n512,32.9,1.3,30.7,33.9\n"),
                                    {});
  CHECK(roles.target == "mean_ms");
  CHECK(roles.extrinsic == Texts{"n"});
  CHECK(roles.left_out.size() == 3);
}

TEST_CASE("a mean or a total goes before other numbers and a price is no rate",
          "[roles][results]") {
  const auto target_of = [](const std::string& csv) {
    return resolve_roles(table_of(csv), {}).target;
  };
  // Of three rows, the likeliest comes first.
  CHECK_THAT(test::message_of<InputError>([] {
               resolve_roles(table_of("vcpu,min,max,mean,price_per_second\n1,13,60,24,0.01\n"
                                      "2,15,61,27,0.02\n4,17,66,37,0.04\n"),
                             {});
             }),
             ContainsSubstring("pass, for example: --target mean, or "));
  CHECK(target_of("p,total,gather,comp\n1,3.45,0.01,3.44\n2,1.74,0.02,1.72\n4,0.78,0.03,0.75\n") ==
        "total");
}

TEST_CASE("names of rows are no inputs and results go before them", "[roles][results]") {
  std::string csv = "language,flags,compile_s,size,time_s\n";
  for (int i = 0; i < 12; ++i)
    csv += test::csv_row("name" + std::to_string(i), i % 2 == 0 ? "-O2" : "-O3",
                         0.1 + 0.017 * i * i, 1 + i % 4, 1.5 + 0.31 * ((i * 5) % 12));
  RoleRequest request;
  request.target = "time_s";
  const Roles roles = resolve_roles(table_of(csv), request);
  CHECK(roles.categorical == Texts{"flags"});
  CHECK(roles.extrinsic == Texts{"size"});
  CHECK(roles.left_out.size() == 2);
}

TEST_CASE("columns without values in many rows are left out", "[roles][gaps]") {
  std::string csv = "gpus,kind,depth,shift,time_s\n";
  for (int i = 0; i < 20; ++i)
    csv += test::csv_row(1 << i % 4, i % 5 == 0 ? "" : "a", i % 3 == 0 ? "n/a" : "2",
                         i % 2 == 0 ? -1 - i % 3 : i % 3, 1.5 + i % 7);
  const Roles roles = resolve_roles(table_of(csv), {});
  CHECK(roles.extrinsic == Texts{"gpus"});
  CHECK((roles.intrinsic.empty() && roles.categorical.empty()));
  for (const char* notice :
       {"Column 'kind' has no value in 4 of 20 rows and is left out; fill it to keep it.",
        "Column 'depth' has no value in 7 of 20 rows and is left out; fill it to keep it.",
        "Column 'shift' is below 0 in 10 of 20 rows and is left out; --categorical shift takes its "
        "values as levels."})
    CHECK(std::ranges::count(roles.notices, notice) == 1);
}

}  // namespace perfmodel
