// No command writes its result over what it reads.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;

namespace {

struct Reading {
  std::vector<std::string> command;
  std::vector<std::string> inputs;
};

}  // namespace

TEST_CASE("an output may not be an input of any command", "[cli]") {
  const TemporaryDirectory directory;
  directory.write("runs.csv", sample_runs());
  directory.write("more.csv", sample_runs());
  directory.write("model.json", sample_model());
  directory.write("old.json", sample_model());
  directory.write("space.json",
                  R"({"schema": "perfmodel/space", "schema_version": 1, "columns": [
                      {"column": "filters", "values": [4, 8, 16, 32]},
                      {"column": "activation", "values": ["tanh", "relu"]},
                      {"column": "workers", "values": [1, 2, 4]}]})");
  const std::string layers = "layer,t_f_us,t_b_us,grad_bytes\n1,4,3,1000\n2,3,5,2000\n";
  directory.write("layers.csv", layers);
  directory.write("whole.csv", layers);
  directory.write("latencies.csv", "bytes,latency_us\n1,2\n1000,5\n100000,90\n");
  const ProgramOptions options{
      .input = "", .environment = {}, .directory = directory.path(), .output_descriptor = {}};

  const std::vector<Reading> readings = {
      {{"fit", "runs.csv", "--test", "more.csv", "-o"}, {"runs.csv", "more.csv"}},
      {{"sweep", "runs.csv", "-o"}, {"runs.csv"}},
      {{"compare", "runs.csv", "--test", "more.csv", "-o"}, {"runs.csv", "more.csv"}},
      {{"predict", "model.json", "runs.csv", "-o"}, {"model.json"}},
      {{"simulate", "model.json", "runs.csv", "-o"}, {"model.json", "runs.csv"}},
      {{"report", "model.json", "runs.csv", "-o"}, {"model.json", "runs.csv"}},
      {{"evaluate", "model.json", "runs.csv", "--baseline", "old.json", "--residuals"},
       {"model.json", "runs.csv", "old.json"}},
      {{"show", "model.json", "-o"}, {"model.json"}},
      {{"merge", "model.json", "old.json", "-o"}, {"model.json", "old.json"}},
      {{"scaling", "model.json", "-o"}, {"model.json"}},
      {{"scaling", "runs.csv", "--column", "workers", "-o"}, {"runs.csv"}},
      {{"plan", "space.json", "-n", "3", "--method", "d-optimal", "--model", "model.json", "-o"},
       {"space.json", "model.json"}},
      {{"measure", "space.json", "true", "-o"}, {"space.json"}},
      {{"suggest", "model.json", "space.json", "--next", "2", "--runs", "runs.csv", "-o"},
       {"model.json", "space.json", "runs.csv"}},
      {{"ssgd", "layers.csv", "--workers", "2", "--reference", "whole.csv", "--fit-allreduce",
        "latencies.csv", "-o"},
       {"layers.csv", "whole.csv", "latencies.csv"}},
      {{"ssgd", "layers.csv", "--workers", "2", "--reference", "whole.csv", "--fit-allreduce",
        "latencies.csv", "--timeline-svg"},
       {"layers.csv", "whole.csv", "latencies.csv"}},
  };
  for (const Reading& reading : readings) {
    for (const std::string& input : reading.inputs) {
      CAPTURE(reading.command, input);
      const std::string before = read_text(directory.file(input));
      std::vector<std::string> arguments = reading.command;
      arguments.push_back("./" + input);
      const ProgramResult result = run_perfmodel(arguments, options);
      CHECK(result.exit_code == 2);
      CHECK(result.output.empty());
      CHECK(result.errors == error_prefix + "the output would replace the input " + input +
                                 "\nSee 'perfmodel " + reading.command[0] + " --help'.\n");
      CHECK(read_text(directory.file(input)) == before);
    }
  }
}

TEST_CASE("a plan may be made longer in its place", "[cli][plan]") {
  const TemporaryDirectory directory;
  const std::string space = directory.write(
      "space.json", R"({"schema": "perfmodel/space", "schema_version": 1, "columns": [
          {"column": "filters", "values": [4, 8, 16, 32]}]})");
  const std::string plan = directory.file("plan.csv");
  REQUIRE(run_perfmodel({"plan", space, "-n", "2", "-o", plan}).exit_code == 0);
  const std::string before = read_text(plan);
  REQUIRE(run_perfmodel({"plan", space, "-n", "3", "--resume", plan, "-o", plan}).exit_code == 0);
  CHECK(read_text(plan).starts_with(before));
  CHECK(read_text(plan).size() > before.size());
}
