// Files of workflow managers, schedulers and benchmarks as they are: their cells have units, and
// most of their columns are results.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using perfmodel::to_text;

namespace {

using ToolTableTest = ProgramTest;
using Names = std::vector<std::string>;

constexpr int kTasks = 40;

struct Task {
  int number;
  int cpus;
  int memory_gib;
  double seconds;
};

/// The text of a table with these invented tasks, of whose header and lines the separator takes the
/// place of commas.
std::string table_of_tasks(std::string text, const std::function<std::string(const Task&)>& line,
                           char separator = ',') {
  text += "\n";
  for (int i = 0; i < kTasks; ++i) {
    const int cpus = 1 << i % 4;
    const int memory = 2 << i / 4 % 3;
    text += line({i, cpus, memory, 2.5 * memory / cpus * (1 + 0.02 * std::sin(3. * i))});
  }
  std::replace(text.begin(), text.end(), ',', separator);
  return text;
}

std::string clock(double seconds) {
  const int whole = static_cast<int>(std::round(seconds));
  char text[32];
  std::snprintf(text, sizeof text, "%02d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
  return text;
}

/// "350ms", "4.9s" or "1m 30s", as Nextflow writes it.
std::string duration(double seconds) {
  if (seconds < 1)
    return to_text(std::round(seconds * 1000)) + "ms";
  if (seconds < 60)
    return to_text(std::round(seconds * 10) / 10) + "s";
  return to_text(std::floor(seconds / 60)) + "m " + to_text(std::round(std::fmod(seconds, 60))) +
         "s";
}

std::string trace(const std::function<std::string(const Task&)>& status) {
  return table_of_tasks(
      "task_id,hash,native_id,name,status,exit,submit,cpus,memory,duration,realtime,%cpu,peak_rss,"
      "peak_vmem,rchar,wchar",
      [&](const Task& task) {
        const int n = task.number;
        const std::string rss = n % 5 == 0 ? "0" : to_text(3.1 + n) + " MB";
        return csv_row(n, "ab/" + std::to_string(100000 + 7919 * n), 3000 + n,
                       "ALIGN (" + std::to_string(n) + ")", status(task), 0,
                       "2026-01-02 10:00:" + std::to_string(10 + n) + ".123", task.cpus,
                       std::to_string(task.memory_gib) + " GB", duration(10 * task.seconds + 5),
                       duration(10 * task.seconds), to_text(72.6 + n) + "%", rss, rss,
                       to_text(1.5 + n) + " KB", 0);
      },
      '\t');
}

std::string completed(const Task&) {
  return "COMPLETED";
}

Names inputs_of(const nlohmann::json& model) {
  Names out;
  for (const char* kind : {"intrinsic", "categorical", "extrinsic"})
    for (const auto& input : model["constants"][kind])
      out.push_back(input["column"]);
  return out;
}

}  // namespace

TEST_CASE_METHOD(ToolTableTest, "a trace of Nextflow is fitted as it is", "[cli][tools][predict]") {
  write("trace.txt", trace(completed));
  const nlohmann::json model = model_of({"trace.txt", "--target", "realtime"});
  write("model.json", model.dump());
  CHECK(inputs_of(model) == Names{"memory", "cpus"});
  CHECK(model["target"]["unit"] == "s");
  CHECK(model["constants"]["intrinsic"][0]["unit"] == "B");
  CHECK(model["constants"]["intrinsic"][0]["range"] ==
        nlohmann::json::array({2 * 0x1p30, 8 * 0x1p30}));
  CHECK_FALSE(model["constants"]["extrinsic"][0].contains("unit"));
  CHECK_THAT(said(),
             ContainsSubstring("'realtime' has units: its values are in s, \"50s\" is 50."));
  CHECK_THAT(said(), ContainsSubstring("'memory' has units: its values are in B, \"2 GiB\" is "
                                       "2147483648; --categorical memory keeps them as levels."));
  CHECK_THAT(said(), ContainsSubstring("--intrinsic"));
  // What import writes is the same runs.
  write("runs.csv", run({"import", "trace.txt"}).output);
  CHECK(model_of({"runs.csv", "--target", "realtime"})["constants"] == model["constants"]);
  // Two columns could be the time.
  CHECK_THAT(run({"fit", "trace.txt"}).failed(3),
             ContainsSubstring("--target duration") && ContainsSubstring("--target realtime"));
  // What was asked for is a scale where it is the only number, and a result is none.
  CHECK(inputs_of(model_of({"trace.txt", "--target", "realtime", "--ignore", "cpus"})) ==
        Names{"memory"});
  CHECK_THAT(said(), ContainsSubstring("Column 'memory' is taken as extrinsic, the only one of"));
  CHECK_THAT(run({"scaling", "trace.txt", "--target", "realtime", "--ignore", "cpus"}).errors,
             ContainsSubstring("'memory' counts no workers by its name"));

  // Values with units can be predicted.
  const auto predicted = [&](const std::string& memory) {
    return run({"predict", "model.json", "--set", "memory=" + memory, "--set", "cpus=4", "--format",
                "json"})
        .json()["predictions"];
  };
  CHECK(predicted("4GB") == predicted("4000000000"));
  CHECK(predicted("4000 MB,8GB") == predicted("4e9,8e9"));
  CHECK(predicted("2GB:8GB:x2") == predicted("2e9:8e9:x2"));
  CHECK(predicted("2GB:8GB:+2GB") == predicted("2e9:8e9:+2e9"));
  CHECK(run({"predict", "model.json", "--set", "memory=4s", "--set", "cpus=4"}).exit_code == 2);
  CHECK(run({"predict", "model.json", "--set", "memory=4GB", "--set", "cpus=4GB"}).exit_code == 2);
  write("units.csv", "memory,cpus\n4GB,2\n3906250 kB,2\n8000 MB,4\n");
  write("plain.csv", "memory,cpus\n4000000000,2\n3906250000,2\n8000000000,4\n");
  const auto times = [&](const std::string& file) {
    Names out;
    for (const std::string& line :
         lines_of(run({"predict", "model.json", file}).succeeded().output))
      out.push_back(line.substr(line.find(',')));
    return out;
  };
  CHECK(times("units.csv").size() == 4);
  CHECK(times("units.csv") == times("plain.csv"));
}

TEST_CASE_METHOD(ToolTableTest, "what a task reads is told where it explains the noise",
                 "[cli][tools]") {
  const auto trace_of = [](bool by_what_it_reads) {
    return table_of_tasks(
        "task_id,name,status,exit,cpus,memory,duration,realtime,peak_rss,rchar",
        [&](const Task& task) {
          const int read = 1 + task.number * 7 % 40;
          const double seconds =
              (by_what_it_reads ? 20. + 3 * read : 60. + task.number % 3) / task.cpus;
          return csv_row(task.number, "ALIGN", "COMPLETED", 0, task.cpus,
                         std::to_string(task.memory_gib) + " GB", duration(10 * seconds + 5),
                         duration(10 * seconds), "3.1 MB", to_text(read + 0.5) + " KB");
        },
        '\t');
  };
  write("trace.txt", trace_of(true));
  const Words fit = {"fit", "trace.txt", "--target", "realtime", "-o", "model.json"};
  CHECK_THAT(run(fit).succeeded().errors,
             ContainsSubstring("column 'rchar' was left out, but goes with what the model does not "
                               "explain (rank correlation 0.8") &&
                 ContainsSubstring("; if it is known before a run, pass --intrinsic rchar,memory"));
  write("trace.txt", trace_of(false));
  CHECK_THAT(run(fit).succeeded().errors, !ContainsSubstring("goes with what the model"));
}

TEST_CASE_METHOD(ToolTableTest, "tasks that failed are named and can be left out",
                 "[cli][tools][failed]") {
  write("trace.txt",
        trace([](const Task& task) { return task.number == 3 ? "FAILED" : "COMPLETED"; }));
  const std::string refused =
      run({"fit", "trace.txt", "--target", "realtime", "--failed", "refuse"}).failed(3);
  CHECK_THAT(refused, ContainsSubstring("trace.txt (imported):5: column 'realtime': "
                                        "\"failed\" is not a number"));
  CHECK_THAT(refused, ContainsSubstring("--failed drop"));
  const nlohmann::json model = model_of({"trace.txt", "--target", "realtime", "--failed", "drop"});
  CHECK(model["target"]["unit"] == "s");
  CHECK(model["provenance"]["data"]["rows"] == kTasks - 1);
}

TEST_CASE_METHOD(ToolTableTest, "jobs of Slurm are fitted with their steps", "[cli][tools]") {
  write("jobs.txt",
        table_of_tasks(
            "JobID,JobName,State,ExitCode,Elapsed,TotalCPU,MaxRSS,AllocCPUS,ReqMem,Start,End",
            [](const Task& task) {
              const std::string id = std::to_string(1000 + task.number);
              const std::string times = clock(100 * task.seconds) + "," + clock(90 * task.seconds);
              const std::string dates = "2026-01-02T10:00:00,2026-01-02T11:00:00";
              return csv_row(id, "train,COMPLETED,0:0", times, "", task.cpus,
                             std::to_string(task.memory_gib) + "G", dates) +
                     csv_row(id + ".batch", "batch,COMPLETED,0:0", times,
                             std::to_string(900 * task.memory_gib) + "M", task.cpus, "", dates) +
                     csv_row(id + ".extern", "extern,COMPLETED,0:0", times, 0, task.cpus, "",
                             dates);
            },
            '|'));
  const nlohmann::json model = model_of({"jobs.txt"});  // Elapsed
  CHECK(inputs_of(model) == Names{"ReqMem", "AllocCPUS"});
  CHECK(model["target"]["column"] == "Elapsed");
  CHECK(model["target"]["unit"] == "s");
  CHECK(model["provenance"]["data"]["rows"] == kTasks);
  const nlohmann::json memory = model_of({"jobs.txt", "--target", "MaxRSS"});
  CHECK(memory["target"]["unit"] == "B");
  CHECK(inputs_of(memory) == Names{"ReqMem", "AllocCPUS"});
}

TEST_CASE_METHOD(ToolTableTest, "files of benchmarks and studies are fitted as they are",
                 "[cli][tools]") {
  // Of Snakemake.
  write("benchmarks.tsv",
        table_of_tasks(
            "threads,size_mb,s,h:m:s,max_rss,max_vms,max_uss,max_pss,io_in,io_out,mean_load,"
            "cpu_time",
            [](const Task& task) {
              const std::string rss =
                  task.number % 7 == 0 ? "-" : to_text(100 + 3.25 * task.number);
              return csv_row(task.cpus, task.memory_gib, 100 * task.seconds,
                             clock(100 * task.seconds).substr(1), rss, rss, rss, rss,
                             "0.00,0.00,97.5", task.seconds * task.cpus);
            },
            '\t'));
  CHECK(inputs_of(model_of({"benchmarks.tsv", "--target", "s"})) == Names{"size_mb", "threads"});
  write("benchmark.csv", table_of_tasks("name,size,workers,iterations,real_time,cpu_time,time_unit",
                                        [](const Task& task) {
                                          return csv_row(
                                              "BM_sort/" + std::to_string(task.memory_gib),
                                              task.memory_gib, task.cpus, 1000 - 3 * task.number,
                                              task.seconds, 0.9 * task.seconds, "ns");
                                        }));
  CHECK(inputs_of(model_of({"benchmark.csv"})) == Names{"size", "workers"});
  write("hyperfine.csv",
        table_of_tasks("command,mean,stddev,median,user,system,min,max,size,threads",
                       [](const Task& task) {
                         const double t = task.seconds;
                         return csv_row("sort " + std::to_string(task.memory_gib), t,
                                        "0." + std::to_string(task.number), t, t, t, t, t,
                                        task.memory_gib, task.cpus);
                       }));
  CHECK(inputs_of(model_of({"hyperfine.csv", "--target", "mean", "--ignore", "command"})) ==
        Names{"size", "threads"});
  write("study.csv",
        table_of_tasks(
            "number,value,datetime_start,datetime_complete,duration,state,layers,workers",
            [](const Task& task) {
              return csv_row(task.number, task.seconds, "2026-01-02 10:00:00,2026-01-02 10:01:00",
                             2 * task.seconds, "COMPLETE", task.memory_gib, task.cpus);
            }));
  CHECK(inputs_of(model_of({"study.csv", "--target", "value"})) == Names{"layers", "workers"});
}

TEST_CASE_METHOD(ToolTableTest, "files of tools need no column of scale", "[cli][tools]") {
  write("rule.tsv", table_of_tasks(
                        "size_mb,s,h:m:s,max_rss,mean_load",
                        [](const Task& task) {
                          return csv_row(task.memory_gib, task.seconds, "0:00:01",
                                         100 + 3.25 * task.number, "97.5");
                        },
                        '\t'));
  CHECK(inputs_of(model_of({"rule.tsv", "--target", "s"})) == Names{"size_mb"});
  Words results;
  for (int i = 0; i < 12; ++i) {
    results.push_back("result" + std::to_string(i) + ".json");
    const double time = 5 + 3 * (i % 4) + 0.1 * i;
    write(results.back(), nlohmann::json{{"max_concurrency", 1 << i % 4},
                                         {"completed", 100 + i},
                                         {"mean_ttft_ms", 0.7 * time},
                                         {"mean_e2el_ms", time}}
                              .dump());
  }
  CHECK(inputs_of(model_of(results, {"--target", "mean_e2el_ms"})) == Names{"max_concurrency"});
}

TEST_CASE_METHOD(ToolTableTest, "names that tools use as well do not make a table that of a tool",
                 "[cli][tools]") {
  write("runs.csv", table_of_tasks("name,min,max,user,gpus,time_s", [](const Task& task) {
          return csv_row(task.number % 2 == 0 ? "a" : "b", task.memory_gib, 1 + task.number % 5,
                         1 + task.number % 7, task.cpus, task.seconds);
        }));
  CHECK(inputs_of(model_of({"runs.csv"})) == Names{"min", "max", "user", "name", "gpus"});
}

TEST_CASE_METHOD(ToolTableTest,
                 "a column missing from some rows is left out and told with ways around it",
                 "[cli][tools]") {
  const auto runs_with = [](int one_in) {
    return table_of_tasks("optimiser,batch,gpus,time_s", [one_in](const Task& task) {
      const bool has_batch = task.number % one_in > 0;
      return csv_row(has_batch ? "sgd," + std::to_string(task.memory_gib) : "adam,", task.cpus,
                     task.seconds);
    });
  };
  write("runs.csv", runs_with(2));
  CHECK_THAT(run({"fit", "runs.csv", "-o", "m.json"}).succeeded().errors,
             ContainsSubstring("Column 'batch' has no value in 20 of 40 rows and is left out; fill "
                               "it to keep it, or fit a model per 'optimiser': --by optimiser."));
  CHECK(inputs_of(nlohmann::json::parse(read("m.json"))) == Names{"optimiser", "gpus"});
  CHECK_THAT(run({"fit", "runs.csv", "--intrinsic", "batch"}).failed(3),
             ContainsSubstring("column 'batch': 20 cells: the cell is blank"));
  CHECK(run({"fit", "runs.csv", "--ignore", "optimiser,batch", "-o", "m.json"}).exit_code == 0);
  CHECK(run({"fit", "runs.csv", "--by", "optimiser", "-o", "set.jsonl"}).exit_code == 0);
  write("runs.csv", runs_with(4));
  CHECK_THAT(run({"fit", "runs.csv", "-o", "m.json"}).succeeded().errors,
             ContainsSubstring("'batch' has no value in 10 of 40 rows"));
}

TEST_CASE_METHOD(ToolTableTest, "a model of levels such as 40GB still predicts",
                 "[cli][tools][predict]") {
  write("runs.csv", table_of_tasks("gpu_mem,gpus,time_s", [](const Task& task) {
          return csv_row(std::to_string(20 * task.memory_gib) + "GB", task.cpus, task.seconds);
        }));
  const nlohmann::json model = model_of({"runs.csv", "--categorical", "gpu_mem"});
  CHECK(model["constants"]["categorical"][0]["levels"].size() == 3);
  write("model.json", model.dump());
  CHECK(run({"predict", "model.json", "runs.csv"}).exit_code == 0);
  CHECK(run({"predict", "model.json", "--set", "gpu_mem=40GB", "--set", "gpus=2"}).exit_code == 0);
  CHECK(inputs_of(model_of({"runs.csv"})) == Names{"gpu_mem", "gpus"});
}

TEST_CASE_METHOD(ToolTableTest, "a model's units decide what the cells of later files are",
                 "[cli][tools][predict]") {
  const auto runs = [](int count, const std::string& third_block) {
    std::string text = "gpus,block,step\n";
    for (int i = 0; i < count; ++i)
      text +=
          csv_row(1 << i % 4,
                  i % 3 == 0   ? "16G"
                  : i % 3 == 1 ? "32G"
                               : third_block,
                  std::to_string(10 + 3 * (i % 3) + 40 / (1 << i % 4)) + (i == 0 ? ".5s" : "m"));
    return text;
  };
  write("runs.csv", runs(24, "64GB"));
  write("later.csv", "gpus,block,step\n1,16G,50m\n2,32G,30m\n4,16G,20m\n8,32G,18m\n");
  write("model.json", model_of({"runs.csv", "--target", "step"}).dump());
  CHECK(run({"evaluate", "model.json", "later.csv"}).exit_code == 0);
  CHECK(run({"predict", "model.json", "later.csv"}).exit_code == 0);
  CHECK(run({"predict", "model.json", "--like", "later.csv:3"}).exit_code == 0);
  write("plain.csv", "gpus,block\n1,17179869184\n");
  CHECK_THAT(run({"predict", "model.json", "plain.csv"}).errors,
             ContainsSubstring("'block' has no units in plain.csv: its numbers are taken as B"));
  for (const std::string setting : {"block=2gb", "block=2s", "block=1:4GiB:x2"})
    CHECK_THAT(run({"predict", "model.json", "--set", setting}).failed(2),
               ContainsSubstring("B, kB, MB, GB, TB, PB, KiB"));
}

TEST_CASE_METHOD(ToolTableTest,
                 "cells that contradict the unit of others are named with file and line",
                 "[cli][tools]") {
  write("u1.csv", "gpus,mem_limit,time_s\n1,1GB,4\n2,2GB,3\n4,4GB,2\n1,8GB,5\n2,12s,6\n");
  write("u2.csv", "gpus,mem_limit,time_s\n1,1,4\n2,2GB,3\n4,4GB,2\n");
  CHECK_THAT(run({"fit", "u1.csv", "u2.csv"}).failed(3),
             ContainsSubstring(
                 "column 'mem_limit': 2 cells: \"12s\" has another unit, but the other cells "
                 "are in B, such as \"1GB\" (u1.csv:6), \"1\" has no unit, but the "
                 "other cells are in B, such as \"1GB\" (u2.csv:2)") &&
                 ContainsSubstring("--categorical mem_limit or --ignore mem_limit"));
}

TEST_CASE_METHOD(ToolTableTest, "a task that ran out of memory counts as cut off at its limit",
                 "[cli][tools][cut]") {
  // The tasks with 2 GiB need more and are ended by the kernel: exit 137.
  std::string text = "task_id,name,status,exit,cpus,memory,realtime,peak_rss\n";
  for (int i = 0; i < kTasks; ++i) {
    const int memory = 2 << i / 4 % 3;
    const bool ends = memory == 2 && i % 4 == 3;
    text += csv_row(i, "SORT (" + std::to_string(i) + ")", ends ? "FAILED,137" : "COMPLETED,0",
                    1 << i % 4, std::to_string(memory) + " GB", "10s",
                    to_text(0.2 * memory * (i % 4 + 1) + 0.01 * (i % 7)) + " GB");
  }
  std::replace(text.begin(), text.end(), ',', '\t');
  write("trace.txt", text);
  const nlohmann::json model = model_of({"trace.txt", "--target", "peak_rss", "--failed", "censor",
                                         "--limit", "memory", "--ignore", "realtime"});
  CHECK_THAT(said(), ContainsSubstring("runs were cut off at their 'memory'"));
  CHECK(model["provenance"]["data"]["rows"] == kTasks);
  CHECK(model["cut"]["rows"] == 4);
  // Its time is unknown rather than cut off.
  const ProgramResult time = run({"fit", "trace.txt", "--target", "realtime", "--failed", "drop"});
  CHECK_THAT(time.errors, ContainsSubstring("\"oom\" in 4"));
}

TEST_CASE_METHOD(ToolTableTest, "raw times of Nextflow are milliseconds", "[cli][tools]") {
  const auto trace_of = [](double per_second, const std::string& unit) {
    return table_of_tasks(
        "task_id,name,status,exit,cpus,memory,duration,realtime",
        [&](const Task& task) {
          const std::string time = to_text(std::round(10 * task.seconds) * per_second) + unit;
          return csv_row(task.number, "ALIGN,COMPLETED,0", task.cpus, task.memory_gib * 0x1p30,
                         time, time);
        },
        '\t');
  };
  write("trace.txt", trace_of(1, "s"));
  write("raw.txt", trace_of(1000, ""));
  write("model.json", model_of({"trace.txt", "--target", "realtime"}).dump());
  const auto metrics = [&](const std::string& file) {
    return run({"evaluate", "model.json", file, "--format", "json"}).json()["metrics"];
  };
  CHECK(metrics("raw.txt") == metrics("trace.txt"));
  // A file of plain numbers does not tell its unit.
  write("plain.csv", "cpus,memory,realtime\n1,2147483648,50000\n2,2147483648,25000\n");
  CHECK_THAT(run({"evaluate", "model.json", "plain.csv"}).errors,
             ContainsSubstring("'realtime' has no units in plain.csv: its numbers are taken as s"));
}
