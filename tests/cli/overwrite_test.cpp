// No command writes its result over what it reads.
#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;

namespace {

struct Reading {
  Words command;
  std::vector<std::string> inputs;
};

}  // namespace

TEST_CASE_METHOD(ProgramTest, "an output may not be an input of any command", "[cli]") {
  write("runs.csv", sample_runs());
  write("more.csv", sample_runs());
  write("model.json", sample_model());
  write("old.json", sample_model());
  write("space.json",
        R"({"schema": "perfmodel/space", "schema_version": 1, "columns": [
                      {"column": "filters", "values": [4, 8, 16, 32]},
                      {"column": "activation", "values": ["tanh", "relu"]},
                      {"column": "workers", "values": [1, 2, 4]}]})");
  const std::string layers = "layer,t_f_us,t_b_us,grad_bytes\n1,4,3,1000\n2,3,5,2000\n";
  write("layers.csv", layers);
  write("whole.csv", layers);
  write("latencies.csv", "bytes,latency_us\n1,2\n1000,5\n100000,90\n");

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
      const std::string before = read(input);
      Words arguments = reading.command;
      arguments.push_back("./" + input);
      const ProgramResult result = run(arguments);
      CHECK(result.exit_code == 2);
      CHECK(result.output.empty());
      CHECK(result.errors == error_prefix + "the output would replace the input " + input +
                                 "\nSee 'perfmodel " + reading.command[0] + " --help'.\n");
      CHECK(read(input) == before);
    }
  }
}

TEST_CASE_METHOD(ProgramTest, "a plan may be made longer in its place", "[cli][plan]") {
  const std::string space =
      write("space.json", R"({"schema": "perfmodel/space", "schema_version": 1, "columns": [
          {"column": "filters", "values": [4, 8, 16, 32]}]})");
  const std::string plan = file("plan.csv");
  run({"plan", space, "-n", "2", "-o", plan}).succeeded();
  const std::string before = read_text(plan);
  run({"plan", space, "-n", "3", "--resume", plan, "-o", plan}).succeeded();
  CHECK(read_text(plan).starts_with(before));
  CHECK(read_text(plan).size() > before.size());
}
