// No command writes its result over what it reads.
#include <string>
#include <utility>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;

TEST_CASE_METHOD(ProgramTest,
                 "an output may not be an input of any command, but for a plan that is made longer",
                 "[cli][plan]") {
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

  const std::vector<std::pair<Words, Words>> readings = {
      // a command, and what it reads
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
  };
  for (const auto& [command, inputs] : readings) {
    for (const std::string& input : inputs) {
      CAPTURE(command, input);
      const std::string before = read(input);
      const ProgramResult result = run(command, {"./" + input});
      CHECK(result.output.empty());
      CHECK(result.failed(2) == error_prefix + "the output would replace the input " + input +
                                    "\nSee 'perfmodel " + command[0] + " --help'.\n");
      CHECK(read(input) == before);
    }
  }
  // A plan may be made longer in its place.
  run({"plan", "space.json", "-n", "2", "-o", "plan.csv"}).succeeded();
  const std::string before = read("plan.csv");
  run({"plan", "space.json", "-n", "3", "--resume", "plan.csv", "-o", "plan.csv"}).succeeded();
  CHECK(read("plan.csv").starts_with(before));
  CHECK(read("plan.csv").size() > before.size());
}
