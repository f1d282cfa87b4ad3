#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "support/csv_text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using perfmodel::to_text;

namespace {

int nodes_of(int gpus) {
  return (gpus + 7) / 8;
}

/// Work that is shared by the GPUs, and a cost for each node.
double time_on(int batch, int gpus, int nodes) {
  return 0.001 * batch / gpus + 0.003 * nodes;
}

/// The lines of runs on nodes of eight GPUs.
Words step_runs() {
  Words lines;
  for (const int gpus : {1, 2, 4, 8, 12, 16, 24, 32})
    for (const int batch : {32, 64, 128, 256})
      lines.push_back(csv_row(batch, gpus, nodes_of(gpus), time_on(batch, gpus, nodes_of(gpus))));
  return lines;
}

std::string csv_of_lines(const Words& lines) {
  return std::accumulate(lines.begin(), lines.end(), std::string());
}

class StepTest : public ProgramTest {
 public:
  nlohmann::json fit(const std::string& csv, const Words& further = {}) {
    write("runs.csv", csv);
    const nlohmann::json model = model_of({"runs.csv", "--expression", "multi"}, further);
    write("model.json", model.dump());
    return model;
  }
  double predict(const Words& settings) const {
    return std::stod(
        run({"predict", "model.json", "--quiet", "--set"}, settings).succeeded().output);
  }
  nlohmann::json json_of(const Words& arguments) const {
    return run(arguments, {"--quiet", "--format", "json"}).json();
  }
};

const std::string step_header = "batch,gpus,nodes,time_s\n";

}  // namespace

TEST_CASE_METHOD(StepTest, "a column that moves in steps moves along, also beyond the runs",
                 "[cli][steps]") {
  const nlohmann::json model = fit(step_header + csv_of_lines(step_runs()));
  CHECK(occurrences(said(), "Column 'nodes' is ceil(gpus / 8) in every row") == 1);
  CHECK(model["tied"] == nlohmann::json::parse(R"([{"scale": "gpus", "column": "nodes", "power": 1,
          "step": {"factors": [{"column": "gpus", "power": 1}], "divisor": 8}}])"));

  CHECK(predict({"gpus=64", "batch=256"}) == Approx(time_on(256, 64, 8)).epsilon(0.05));
  CHECK(predict({"gpus=9", "batch=256"}) == Approx(time_on(256, 9, 2)).epsilon(0.05));
  CHECK(predict({"gpus=64", "batch=256"}) == predict({"gpus=64", "batch=256", "nodes=8"}));
  CHECK_THAT(run({"predict", "model.json", "--set", "gpus=64"}).errors,
             ContainsSubstring("'nodes' moves along: 8"));
  // Who sets the column is obeyed, in either order.
  CHECK(predict({"gpus=8", "batch=256", "nodes=4"}) == Approx(time_on(256, 8, 4)).epsilon(0.05));
  CHECK(predict({"nodes=4", "gpus=8", "batch=256"}) == predict({"gpus=8", "batch=256", "nodes=4"}));

  // Apart from the law of all runs nothing was measured, though each value was.
  const ProgramResult apart = run({"predict", "model.json", "--set", "gpus=8", "nodes=4"});
  CHECK_THAT(apart.errors, ContainsSubstring("nodes is not ceil(gpus / 8), as in all runs"));
  for (const auto& [nodes, exit_code] : {std::pair{"nodes=4", 3}, {"nodes=1", 0}})
    CHECK(run({"predict", "model.json", "--set", "gpus=8", nodes, "--strict-range"}).exit_code ==
          exit_code);

  CHECK_THAT(run({"scaling", "model.json"}).errors,  // the nodes are no scale of their own
             ContainsSubstring("Pass --column: 'batch' and 'gpus'\n"));
  const nlohmann::json study = json_of(
      {"scaling", "model.json", "--column", "gpus", "--set", "batch=256", "--at", "8,16,64"});
  const double truth = time_on(256, 8, 1) / time_on(256, 64, 8) * 8 / 64;
  CHECK(study["rows"][2]["efficiency"].get<double>() == Approx(truth).epsilon(0.05));
  for (const nlohmann::json& effect : model["effects"])
    CHECK(effect["column"] != "nodes");

  // A step that cannot be is refused.
  const auto refusal = [&](const std::string& field, const nlohmann::json& value) {
    nlohmann::json edited = model;
    edited["tied"][0]["step"][field] = value;
    write("model.json", edited.dump());
    return run({"predict", "model.json", "--set", "gpus=4"}).refused(3);
  };
  CHECK_THAT(refusal("divisor", 0), ContainsSubstring("expected factors and a divisor > 0"));
  CHECK_THAT(refusal("factors", nlohmann::json::array()),
             ContainsSubstring("expected factors and a divisor > 0"));
  CHECK_THAT(refusal("factors", nlohmann::json::parse(R"([{"column": "racks", "power": 1}])")),
             ContainsSubstring("racks"));
}

TEST_CASE_METHOD(StepTest, "suggestions keep to the steps", "[cli][steps]") {
  fit(step_header + csv_of_lines(step_runs()));
  write("space.json", space_of(R"({"column": "batch", "values": [32, 64, 256]},
                                  {"column": "nodes", "values": [1, 2, 3, 4, 8]},
                                  {"column": "gpus", "values": [1, 4, 8, 9, 16, 20, 64]})"));
  const auto check = [](const nlohmann::json& suggestions, std::size_t expected) {
    CHECK(suggestions.size() == expected);
    for (const nlohmann::json& item : suggestions)
      CHECK(item["configuration"]["nodes"] == nodes_of(item["configuration"]["gpus"].get<int>()));
  };
  check(json_of({"suggest", "model.json", "space.json", "--top", "1000"})["fastest"], 21);
  check(json_of({"suggest", "model.json", "space.json", "--next", "1000"})["next"], 21);
  check(json_of({"suggest", "model.json", "runs.csv", "--next", "1000"})["next"], 32);
  CHECK_THAT(run({"suggest", "model.json", "space.json"}).errors,
             ContainsSubstring("'nodes' is always ceil(gpus / 8)\n"));
  // One value of a column is what the user has set.
  write("space.json", space_of(R"({"column": "batch", "values": [64]},
                                  {"column": "nodes", "values": [4]},
                                  {"column": "gpus", "values": [4, 8]})"));
  CHECK(json_of({"suggest", "model.json", "space.json"})["fastest"].size() == 2);
}

TEST_CASE_METHOD(StepTest, "the order of runs and the names of columns do not decide about steps",
                 "[cli][steps]") {
  Words lines = step_runs();
  const Words flags = {"--target", "t", "--extrinsic", "b,c", "--intrinsic", "a"};
  fit("a,b,c,t\n" + csv_of_lines(lines), flags);
  CHECK_THAT(said(), ContainsSubstring("Column 'c' is ceil(b / 8) in every row"));
  const double expected = predict({"b=64", "a=256"});
  CHECK(expected == Approx(time_on(256, 64, 8)).epsilon(0.05));
  std::reverse(lines.begin(), lines.end());
  std::rotate(lines.begin(), lines.begin() + 11, lines.end());
  fit("a,b,c,t\n" + csv_of_lines(lines), flags);
  CHECK(predict({"b=64", "a=256"}) == expected);
  fit("z,y x,an x,t\n" + csv_of_lines(lines),
      {"--target", "t", "--extrinsic", "y x,an x", "--intrinsic", "z"});
  CHECK_THAT(said(), ContainsSubstring("Column 'an x' is ceil(y x / 8) in every row"));
  CHECK(predict({"y x=64", "z=256"}) == Approx(expected).epsilon(1e-9));
}

TEST_CASE_METHOD(StepTest, "a step in several columns moves with each of them", "[cli][steps]") {
  std::string csv = "global_batch,micro_size,num_gpus,accumulation,time_s\n";
  const auto time = [](int micro, int steps) { return 0.001 * steps + 0.0005 * steps * micro; };
  const auto steps_of = [](int batch, int micro, int gpus) {
    return (batch + micro * gpus - 1) / (micro * gpus);
  };
  for (const int batch : {48, 96, 256})
    for (const int micro : {2, 5, 8})
      for (const int gpus : {1, 2, 4, 8}) {
        const int steps = steps_of(batch, micro, gpus);
        csv += csv_row(batch, micro, gpus, steps, time(micro, steps));
      }
  const nlohmann::json model = fit(csv, {"--extrinsic", "num_gpus,global_batch", "--intrinsic",
                                         "micro_size,accumulation", "--terms", "2"});
  CHECK_THAT(said(), ContainsSubstring(
                         "Column 'accumulation' is ceil(global_batch / num_gpus / micro_size)"));
  REQUIRE(model["tied"].size() == 3);
  for (const nlohmann::json& tie : model["tied"]) {
    CHECK(tie["column"] == "accumulation");
    CHECK(tie["power"] == (tie["scale"] == "global_batch" ? 1 : -1));
    CHECK(tie["step"]["divisor"] == 1);
    CHECK(tie["step"]["factors"].size() == 3);
  }
  const auto set = [&](int batch, int micro, int gpus) {
    return Words{"global_batch=" + to_text(batch), "micro_size=" + to_text(micro),
                 "num_gpus=" + to_text(gpus)};
  };
  CHECK(predict(set(512, 8, 16)) == Approx(time(8, 4)).epsilon(0.05));
  CHECK(predict(set(100, 8, 4)) == Approx(time(8, 4)).epsilon(0.05));
  const ProgramResult alone = run({"predict", "model.json", "--like", "runs.csv:2", "--set",
                                   "micro_size=5"});  // of 48 on one GPU, no scale is set
  CHECK_THAT(alone.errors, ContainsSubstring("'accumulation' moves along: 10"));
}

TEST_CASE_METHOD(StepTest, "what is a product exactly is no step, whoever keeps it",
                 "[cli][steps]") {
  std::string csv = "local_batch,gpus,global_batch,micro,steps,time_s\n";
  for (const int local : {8, 16, 24})
    for (const int gpus : {1, 2, 4, 8})
      for (const int micro : {2, 5, 7}) {
        const int steps = (local + micro - 1) / micro;
        csv +=
            csv_row(local, gpus, local * gpus, micro, steps, 0.01 * steps * micro + 0.001 * gpus);
      }
  const nlohmann::json model = fit(csv, {"--extrinsic", "gpus,global_batch", "--intrinsic",
                                         "local_batch,micro,steps", "--terms", "2"});
  CHECK(said().find("'global_batch' is ceil") == std::string::npos);
  for (const nlohmann::json& tie : model["tied"])
    CHECK(tie.contains("step") == (tie["column"] == "steps"));
  // Where the batch of all is the scale it moves that of one, and with it the steps.
  const ProgramResult moved =
      run({"predict", "model.json", "--like", "runs.csv:2", "--set", "global_batch=48"});
  CHECK_THAT(moved.errors, ContainsSubstring("'local_batch' moves along: 48") &&
                               ContainsSubstring("'steps' moves along: 24"));
}

TEST_CASE_METHOD(StepTest, "the page moves in steps as predict does",
                 "[cli][steps][report][needs-node]") {
  fit(step_header + csv_of_lines(step_runs()));
  const std::string page = run({"report", "model.json", "runs.csv", "--explore", "--quiet"}).output;
  const auto cut = [&](const std::string& from, const std::string& to) {
    const std::size_t begin = page.find(from);
    REQUIRE(begin != std::string::npos);
    return page.substr(begin, page.find(to, begin) - begin);
  };
  const CsvFile script("const model = {" + cut("ties: [", ",\ninterval") + "};\n" +
                       cut("const stepOf = ", "const allows") +
                       "const moved = withValue(new Map([['batch', 64], ['gpus', 4], "
                       "['nodes', 1]]), 'gpus', 33);\n"
                       "console.log(moved.get('batch'), moved.get('gpus'), moved.get('nodes'));\n");
  CHECK(output_of("node " + script.path()) == "64 33 5\n");
  CHECK_THAT(page, ContainsSubstring("Time against gpus"));
  CHECK(page.find("Time against nodes") == std::string::npos);
}
