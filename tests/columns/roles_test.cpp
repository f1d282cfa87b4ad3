#include "perfmodel/columns.hpp"
#include "perfmodel/table.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "roles/column_facts.hpp"
#include "roles/roles.hpp"
#include "roles/vocabulary.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/message_of.hpp"
#include "support/runs_text.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using test::table_of;
using Texts = std::vector<std::string>;

constexpr std::string_view kRoleRuns =
    "filters,padding,workers,batch_size,time_s\n"
    "4,same,1,8,0.1\n"
    "16,valid,2,8,0.2\n"
    "64,same,2,32,0.3\n";

/// The columns that have one value only.
Texts constants_of(const Roles& roles) {
  Texts names;
  for (const LeftOut& item : roles.left_out)
    if (item.because == LeftOut::Because::constant)
      names.push_back(item.column);
  return names;
}

std::string error_of(const Table& table, const RoleRequest& request = {}) {
  return test::message_of<InputError>([&] { resolve_roles(table, request); });
}

std::string usage_error_of(const RoleRequest& request) {
  return test::message_of<UsageError>([&] { resolve_roles(table_of(kRoleRuns), request); });
}

TEST_CASE("a list of words has whole words", "[roles]") {
  constexpr WordList list{"epoch step steps"};
  for (const char* word : {"epoch", "step", "steps"})
    CHECK(list.has(word));
  for (const char* word : {"", "ste", "tep", " ", "s"})
    CHECK_FALSE(list.has(word));
  CHECK(list.has_one_of(Texts{"loss", "steps"}));
  CHECK_FALSE(list.has_one_of(Texts{"loss"}));
}

TEST_CASE("without flags the roles are inferred from names and cells", "[roles]") {
  const Roles roles = resolve_roles(table_of(kRoleRuns), {});
  CHECK(roles.target == "time_s");
  CHECK(roles.unit == "s");
  CHECK(roles.intrinsic == Texts{"filters"});
  CHECK(roles.categorical == Texts{"padding"});
  CHECK(roles.extrinsic == Texts{"workers", "batch_size"});
  CHECK(roles.ignored.empty());
  CHECK(roles.left_out.empty());
  CHECK(roles.notices ==
        Texts{"Column 'time_s' is taken as the measured time, by its name.",
              "Columns 'workers' and 'batch_size' are taken as extrinsic, by their names.",
              "Taken as intrinsic: 'filters'.", "Taken as categorical: 'padding'."});
  // Columns of a role stand in the order of the file.
  CHECK(resolve_roles(table_of("b,t,gpus,a\n1,1,1,2\n2,2,2,3\n"), {}).intrinsic == Texts{"b", "a"});
}

TEST_CASE("the usual names of a measured time are known, with their units", "[roles]") {
  const auto [name, unit] = GENERATE(table<std::string, std::string>({
      {"time_s", "s"},
      {"time_ms", "ms"},
      {"time_us", "us"},
      {"time", ""},
      {"t", ""},
      {"Iteration Time", ""},
      {"iteration_time_s", "s"},
      {"step-time-ms", "ms"},
      {"time_seconds", "s"},
      {"epoch_time_s", "s"},
      {"metrics.step_time_ms", "ms"},
  }));
  CAPTURE(name);
  const Roles roles = resolve_roles(table_of(name + ",x,gpus\n1,1,1\n2,2,2\n"), {});
  CHECK(roles.target == name);
  CHECK(roles.unit == unit);
}

TEST_CASE("a unit in brackets is the last word of a name, with or without a space", "[roles]") {
  CHECK(unit_of("Step Time (ms)") == "ms");
  CHECK(unit_of("time[ms]") == "ms");
  CHECK(names_time("time[ms]"));
  CHECK(unit_of("samples per (s)").empty());  // a rate
}

TEST_CASE("a unit of time in a name tells the target where no name does", "[roles]") {
  const auto [name, unit] = GENERATE(table<std::string, std::string>({
      {"epoch_s", "s"},
      {"step_s", "s"},
      {"fwd_ms", "ms"},
      {"gpu_time_us", "us"},
      {"latency_seconds", "s"},
      {"kernel-ns", "ns"},
      {"forward_usec", "us"},
  }));
  CAPTURE(name);
  const Roles roles = resolve_roles(table_of("x," + name + ",gpus\n1,3,1\n2,4,2\n"), {});
  CHECK(roles.target == name);
  CHECK(roles.unit == unit);
  CHECK(roles.notices[0] == "Column '" + name + "' is taken as the measured time, by its unit.");
}

TEST_CASE("of several columns that may be the measured time one has to be chosen", "[roles]") {
  CHECK(error_of(table_of("batch,itl_ms,ttft_ms\n1,7.1,24\n64,9.6,310\n")) ==
        "runs.csv: several columns could be the measured time: 'itl_ms' and 'ttft_ms'\n"
        "its columns are 'batch', 'itl_ms' and 'ttft_ms'\n"
        "pass, for example: --target itl_ms, or --target ttft_ms");
}

TEST_CASE("texts, constants, columns with zeros and derived ones are no time by their unit",
          "[roles]") {
  const std::string cannot_tell = "runs.csv: cannot infer which column is the measured time\n";
  CHECK_THAT(error_of(table_of("gpus,mode_s\n1,a\n2,b\n")), StartsWith(cannot_tell));
  CHECK_THAT(error_of(table_of("gpus,timeout_s\n1,60\n2,60\n")), StartsWith(cannot_tell));
  RoleRequest request;
  request.derived = {parse_derived("double_s = x * 2")};
  const Table table = derive_as_requested(table_of("gpus,x\n1,1\n2,3\n"), request.derived);
  CHECK_THAT(error_of(table, request), StartsWith(cannot_tell));
}

TEST_CASE("the usual names of scales are known", "[roles]") {
  const std::string name =
      GENERATE("gpus", "num_gpus", "n_gpus", "ngpus", "gpu_count", "GPUs", "workers", "num_workers",
               "nodes", "num_nodes", "processes", "procs", "num_procs", "ranks", "cores",
               "num_cores", "threads", "batch_size", "Batch Size", "batch", "local_batch",
               "global_batch", "micro_batch", "global-batch-size", "minibatch_size", "mpi_procs",
               "omp_threads", "mpi_ranks", "instance_count", "process_count", "num_gpu",
               "num_tensor_parallel_workers", "num_executors", "total_gpus", "worker_nodes",
               "train_batch_size", "batch_size_per_gpu", "per_device_train_batch_size", "GPU #",
               "# GPUs", "ncore", "np", "ntasks", "jobs", "gcds", "concurrency", "max_batch_size",
               "config.gpus", "params.batch_size", "run.config.num_workers");
  CAPTURE(name);
  const Roles roles = resolve_roles(table_of("time_s,x," + name + "\n1,1,1\n2,2,2\n"), {});
  CHECK(roles.extrinsic == Texts{name});
}

TEST_CASE("members of nested objects get the roles of their last names", "[roles]") {
  CHECK(is_scale_name("run.config.gpus"));
  CHECK(unit_of("p99.9_ms") == "ms");
  const Table table = table_of(
      "params.seed,setup.time,x,config.gpus,metrics.loss,time\n1,5,1,1,0.51,3\n"
      "2,6,2,2,0.22,2\n3,7,1,4,0.33,1\n4,8,2,8,0.44,0.5\n");
  RoleRequest request;
  request.target = "time";
  const Roles roles = resolve_roles(table, request);
  CHECK(roles.extrinsic == Texts{"config.gpus"});
  CHECK(roles.intrinsic == Texts{"x"});
  CHECK(std::ranges::any_of(roles.left_out, [](const LeftOut& item) {
    return item.column == "params.seed" && item.because == LeftOut::Because::repetition;
  }));
}

TEST_CASE("names that only look like scales are intrinsic", "[roles]") {
  const Roles roles = resolve_roles(
      table_of("time_s,gpu_cores,max_gpus_per_node,batches,workers\n1,1,1,1,1\n2,2,2,2,2\n"), {});
  CHECK(roles.intrinsic == Texts{"gpu_cores", "max_gpus_per_node", "batches"});
  const std::string name =
      GENERATE("num_tokens", "hidden_nodes", "tensor_cores", "cuda_cores", "threads_per_block",
               "block_threads", "data_instances", "num_heads", "tensor_parallel", "num_batch",
               "batch_norm", "count", "size", "process", "word_count", "n_layers");
  CAPTURE(name);
  const Roles others = resolve_roles(table_of("time_s,gpus," + name + "\n1,1,1\n2,2,2\n"), {});
  CHECK(others.extrinsic == Texts{"gpus"});
}

TEST_CASE("flags settle every role", "[roles]") {
  RoleRequest request;
  request.target = "batch_size";
  request.extrinsic = Texts{"filters"};
  request.categorical = {"workers"};
  request.ignore = {"time_s"};
  request.time_unit = "h";
  const Roles roles = resolve_roles(table_of(kRoleRuns), request);
  CHECK(roles.target == "batch_size");
  CHECK(roles.unit == "h");
  CHECK(roles.extrinsic == Texts{"filters"});
  CHECK(roles.intrinsic.empty());
  CHECK(roles.categorical == Texts{"padding", "workers"});
  CHECK(roles.ignored == Texts{"time_s"});
  // A unit that no flag states is read from the name.
  request = {};
  request.target = "wait_us";
  CHECK(resolve_roles(table_of("wait_us,x,gpus\n1,1,1\n2,2,2\n"), request).unit == "us");
}

TEST_CASE("beside an intrinsic list, columns in no list are ignored with a notice", "[roles]") {
  RoleRequest request;
  request.intrinsic = Texts{"filters"};
  const Roles roles = resolve_roles(table_of(kRoleRuns), request);
  CHECK(roles.intrinsic == Texts{"filters"});
  CHECK(roles.extrinsic == Texts{"workers", "batch_size"});
  CHECK(roles.categorical.empty());
  CHECK(roles.ignored == Texts{"padding"});
  CHECK(roles.notices.back() == "Column 'padding' is in no list and is ignored.");
}

TEST_CASE("no column is extrinsic or intrinsic where that is said, unless one is called none",
          "[roles]") {
  RoleRequest request;
  request.ignore = {"workers"};
  request.extrinsic = GENERATE(Texts{"none"}, Texts{});
  const Roles roles = resolve_roles(table_of(kRoleRuns), request);
  CHECK(roles.extrinsic.empty());
  CHECK(roles.intrinsic == Texts{"filters", "batch_size"});

  RoleRequest other;
  other.intrinsic = request.extrinsic;
  const Roles others = resolve_roles(table_of("x,gpus,time_s\n1,1,1\n2,2,2\n"), other);
  CHECK(others.intrinsic.empty());
  CHECK(others.ignored == Texts{"x"});
  CHECK(others.extrinsic == Texts{"gpus"});

  request = {};
  request.extrinsic = Texts{"none"};
  CHECK(resolve_roles(table_of("time_s,x,none\n1,1,1\n2,2,2\n"), request).extrinsic ==
        Texts{"none"});
  other.intrinsic = Texts{"none"};
  CHECK(resolve_roles(table_of("none,gpus,time_s\n1,1,1\n2,2,2\n"), other).intrinsic ==
        Texts{"none"});
}

TEST_CASE("columns with one value are dropped with a notice, whatever their role", "[roles]") {
  RoleRequest request;
  request.intrinsic = Texts{"filters", "stride"};
  request.categorical = {"padding"};
  const Roles roles =
      resolve_roles(table_of("filters,stride,padding,workers,batch_size,notes,time_s\n"
                             "4,2,same,1,8,,0.1\n"
                             "8,2.0,same,2,8,,0.2\n"),
                    request);
  CHECK(constants_of(roles) == Texts{"stride", "padding", "batch_size"});
  CHECK(roles.intrinsic == Texts{"filters"});
  CHECK(roles.extrinsic == Texts{"workers"});
  for (const std::string column :
       {"stride' has the value 2", "padding' has the value same", "batch_size' has the value 8"})
    CHECK(std::ranges::count(roles.notices,
                             "Column '" + column + " in every row and is left out.") == 1);
  // So is one that is blank throughout, but not the target.
  const Roles blank =
      resolve_roles(table_of("filters,notes,workers,time_s\n4,,1,0.1\n8,,2,0.2\n"), {});
  CHECK(constants_of(blank) == Texts{"notes"});
  CHECK(blank.notices[2] == "Column 'notes' is blank in every row and is left out.");
  CHECK(resolve_roles(table_of("x,gpus,time_s\n1,1,5\n2,2,5\n"), {}).target == "time_s");
}

TEST_CASE("a column of only 0 and 1 is categorical", "[roles]") {
  const Roles roles =
      resolve_roles(table_of("x,use_bias,gpus,time_s\n1,0,1,1\n2,1,2,2\n3,1.0,2,2\n"), {});
  CHECK(roles.categorical == Texts{"use_bias"});
  CHECK(roles.notices[2] == "Column 'use_bias' holds only 0 and 1 and is taken as categorical.");
}

TEST_CASE("a numeric column, also one with the name of a scale, can be taken as levels",
          "[roles]") {
  RoleRequest request;
  request.categorical = {"filters"};
  CHECK(resolve_roles(table_of(kRoleRuns), request).categorical == Texts{"filters", "padding"});
  CHECK(resolve_roles(table_of(kRoleRuns, {"filters"}), request).categorical ==
        Texts{"filters", "padding"});
  request.categorical = {"workers"};
  CHECK(resolve_roles(table_of(kRoleRuns), request).extrinsic == Texts{"batch_size"});
}

TEST_CASE("all flags that name unknown columns, or a column twice, are reported at once",
          "[roles]") {
  RoleRequest request;
  request.target = "time";
  request.extrinsic = Texts{"worker", "batch_size"};
  request.ignore = {"dropout"};
  CHECK(usage_error_of(request) ==
        "--target: no column 'time' in runs.csv; did you mean 'time_s'?\n"
        "--extrinsic: no column 'worker' in runs.csv; did you mean 'workers'?\n"
        "--ignore: no column 'dropout' in runs.csv; there are 'filters', 'padding', 'workers', "
        "'batch_size' and 'time_s'");
  request.target = "time_s";
  request.extrinsic = Texts{"workers", "workers", "time_s"};
  request.ignore = {"workers"};
  CHECK(usage_error_of(request) ==
        "--extrinsic names column 'workers' twice\n"
        "column 'time_s' is named in both --target and --extrinsic\n"
        "column 'workers' is named in both --extrinsic and --ignore");
}

TEST_CASE("where neither time nor scale are known, the last result is the time and all are inputs",
          "[roles]") {
  const Roles roles = resolve_roles(
      table_of("size,devs,kind,dur,run_id\n1,1,a,1,7\n2,2,b,2,8\n3,1,a,3,9\n4,2,b,5,10\n"), {});
  CHECK(roles.target == "dur");
  CHECK(roles.extrinsic.empty());
  CHECK(roles.intrinsic == Texts{"size", "devs"});
  CHECK(roles.categorical == Texts{"kind"});
  CHECK(roles.notices[0] == "Column 'dur' is taken as the measured time, by its name.");
  CHECK(roles.notices[1] ==
        "No column has the name of a scale (workers, batch size, ...), so all "
        "are inputs alike; --extrinsic names one.");
}

TEST_CASE("some names are those of a time only where no other is", "[roles]") {
  CHECK(resolve_roles(table_of("wall,gpus,x\n4,1,1\n3,2,2\n5,4,1\n"), {}).target == "wall");
}

TEST_CASE("neither scales nor columns of which others are computed are taken as the time",
          "[roles]") {
  // The last of numbers is a scale, or the origin of a derived column.
  const Table runs = table_of("dur,x,batch_size\n1,1,8\n2,2,16\n4,3,32\n");
  CHECK(resolve_roles(runs, {}).target == "dur");
  RoleRequest request;
  request.derived = {parse_derived("y = x * 2")};
  CHECK(resolve_roles(derive_as_requested(runs, request.derived), request).target == "dur");
}

TEST_CASE("a column with the name of a throughput is not advised as the time", "[roles]") {
  const std::string column = GENERATE("throughput", "Train Throughput", "images/sec");
  CHECK_THAT(error_of(table_of("gpus,x," + column + "\n1,1,1\n2,2,2\n")),
             EndsWith("\npass, for example: --throughput-target " + shell_word(column)));
}

TEST_CASE("a time named as an input is reported, and no other column advised", "[roles]") {
  RoleRequest request;
  request.categorical = {"time_s"};
  CHECK(error_of(table_of("gpus,x,time_s\n1,1,1\n2,2,2\n"), request) ==
        "runs.csv: cannot infer which column is the measured time\n"
        "'time_s' has the name of one, but is named as an input; leave it out there\n"
        "its columns are 'gpus', 'x' and 'time_s'");
}

/// The refusal of a command that needs a scale.
std::string error_around_scale(const std::string& csv) {
  try {
    roles_around_scale(table_of(csv), {});
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("the advice names the counts, those of few values first", "[roles]") {
  CHECK(error_around_scale("gpu,ratio,m,devs,time_s\n1a,0.5,10,1,1\n2b,1,20,2,2\n2b,2,30,2,3\n") ==
        "runs.csv: cannot infer which columns are extrinsic (the scale: workers, batch size, ...)\n"
        "its columns are 'gpu', 'ratio', 'm', 'devs' and 'time_s'\n"
        "of whole numbers > 0 are 'devs' and 'm'\n"
        "pass, for example: --extrinsic devs");
  // A scale that is a text or a switch is no scale.
  CHECK(error_around_scale("x,y,nodes,threads,time_s\n1,2,n1,0,1\n2,2,n2,1,2\n3,4,n2,1,3\n") ==
        "runs.csv: cannot infer which columns are extrinsic (the scale: workers, batch size, ...)\n"
        "its columns are 'x', 'y', 'nodes', 'threads' and 'time_s'\n"
        "of whole numbers > 0 are 'y' and 'x'\n"
        "pass, for example: --extrinsic y");
}

TEST_CASE("the advice names a number of tokens before a number of heads", "[roles]") {
  const std::string runs = "n_head,vocab,num_tokens,time_s\n8,100,1,1\n16,100,2,2\n8,200,4,3\n";
  CHECK_THAT(error_around_scale(runs),
             Catch::Contains("\nof whole numbers > 0 are 'num_tokens', 'n_head' and 'vocab'\n") &&
                 EndsWith("--extrinsic num_tokens"));
  // Who needs no scale is told once that there is none.
  const Roles roles = resolve_roles(table_of(runs), {});
  CHECK(roles.extrinsic.empty());
  CHECK(roles.intrinsic == Texts{"n_head", "vocab", "num_tokens"});
  CHECK(std::ranges::count(roles.notices,
                           "No column has the name of a scale (workers, batch size, ...), so all "
                           "are inputs alike; --extrinsic names one.") == 1);
}

TEST_CASE("runs that vary nothing but the scale have no intrinsic column", "[roles]") {
  const Roles roles = resolve_roles(table_of("x,gpus,batch,time_s\n1,1,8,1\n1,2,8,2\n"), {});
  CHECK(roles.extrinsic == Texts{"gpus"});
  CHECK(roles.intrinsic.empty());
  CHECK(constants_of(roles) == Texts{"x", "batch"});
  CHECK(
      error_of(table_of("x,gpus,time_s\n1,1,1\n1,1,2\n")) ==
      "runs.csv: no column but the time varies, so there is nothing to model; add columns that say "
      "in what the runs differ");
}

TEST_CASE("how a run ended is no input unless it is named as one", "[roles]") {
  const Table runs = table_of("x,exit_code,gpus,time_s\n1,0,1,1\n2,124,2,2\n");
  const Roles roles = resolve_roles(runs, {});
  CHECK(roles.intrinsic == Texts{"x"});
  REQUIRE(roles.left_out.size() == 1);
  CHECK(roles.left_out[0].column == "exit_code");
  CHECK(roles.left_out[0].because == LeftOut::Because::result);
  RoleRequest request;
  request.intrinsic = Texts{"x", "exit_code"};
  CHECK(resolve_roles(runs, request).intrinsic == Texts{"x", "exit_code"});
}

}  // namespace
}  // namespace perfmodel
