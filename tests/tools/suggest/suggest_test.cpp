#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "report/documents.hpp"
#include "suggest/plan.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

/// sample_model(), as if it had been measured on the whole space below.
std::string model_of_space() {
  auto model = nlohmann::json::parse(sample_model());
  model["constants"]["intrinsic"][0]["range"] = {4, 32};
  return model.dump();
}

/// The inputs of sample_model().
const std::string space = space_of(R"(
        {"column": "filters", "values": [4, 8, 16, 32]},
        {"column": "activation", "values": ["tanh", "relu"]},
        {"column": "workers", "values": [1, 2, 4]})",
                                   R"(, "extrinsic": ["workers"])");

class Files : public ProgramTest {
 public:
  Files() {
    write("model.json", model_of_space());
    write("space.json", space);
  }
  ProgramResult suggest(const Words& arguments) const {
    return run({"suggest", file("model.json"), file("space.json")}, arguments);
  }
  nlohmann::json suggested(const Words& arguments) const {
    const ProgramResult result = suggest(both_of(arguments, {"--format", "json"}));
    // Of the next runs it says how uncertain predictions are, of conditions what they leave out.
    CHECK((result.errors.empty() || result.errors.find("left out: --where") != std::string::npos ||
           std::count(arguments.begin(), arguments.end(), "--next") > 0));
    return result.json();
  }
};

}  // namespace

TEST_CASE_METHOD(Files, "the library chooses the next runs as the program does", "[cli][suggest]") {
  using namespace perfmodel;
  const std::string runs = write("runs.csv",
                                 "filters,activation,workers,time_s\n4,relu,1,2.5\n"
                                 "8,relu,2,1.5\n32,tanh,4,OOM\n16,elu,1,3\n");
  const FittedModel model = read_model(file("model.json"));
  const plan::Space of_file = read_space(file("space.json"));
  std::vector<std::string> told;
  const plan::KnownRuns known =
      plan::known_runs(model, of_file, read_further_runs({runs}, {}, {}, model.provenance.reading),
                       [&](const std::string& sentence) { told.push_back(sentence); });
  CHECK(told.size() == 2);
  CHECK(known.tried.size() == 3);
  CHECK(known.measured.size() == 2);
  for (const auto& [goal, word] :
       {std::pair(plan::Goal::accuracy, "accuracy"), {plan::Goal::fastest, "fastest"}}) {
    const plan::NextPlan found =
        plan::next_to_measure(model, of_file, known, {.count = 4, .goal = goal});
    const auto json = suggested({"--next", "4", "--goal", word, "--runs", runs});
    REQUIRE(found.runs.size() == 4);
    CHECK(found.deviation == Approx(json["mean_deviation"].get<double>()));
    CHECK(found.deviation_after < found.deviation);
    CHECK(found.best.has_value() == (goal == plan::Goal::fastest));
    for (std::size_t k = 0; k < 4; ++k) {
      const auto& of_program = json["next"][k];
      CHECK(of_file.cells(found.runs[k].suggestion.configuration)[0] ==
            std::to_string(of_program["configuration"]["filters"].get<int>()));
      CHECK(found.runs[k].run.deviation_gain == Approx(of_program["deviation_gain"].get<double>()));
    }
  }
}

TEST_CASE_METHOD(Files, "suggest looks for the fastest by expected improvement", "[cli][suggest]") {
  // The second configuration failed: it is not tried again.
  const std::string runs = write("runs.csv",
                                 "filters,activation,workers,time_s\n8,relu,1,1\n"
                                 "4,relu,4,OOM\n16,tanh,2,2\n99,relu,4,0.001\n");
  const Words options = {"--next", "24", "--goal", "fastest", "--runs", runs};
  const auto json = suggested(options);
  REQUIRE(json["next"].size() == 21);
  const std::set<std::string> tried = {R"([8.0,"relu",1.0])", R"([4.0,"relu",4.0])",
                                       R"([16.0,"tanh",2.0])"};
  for (const auto& item : json["next"]) {
    const auto& each = item["configuration"];
    const nlohmann::json cells = {each["filters"].get<double>(), each["activation"],
                                  each["workers"].get<double>()};
    CHECK_FALSE(tried.contains(cells.dump()));
  }
  // The improvement of the first, from its own figures. The run with 99 filters is of no
  // configuration of the space.
  const auto model = nlohmann::json::parse(model_of_space());
  const double error = model["metrics"]["train"]["mape_percent"].get<double>() / 100;
  const double noise = std::max(error * error * std::acos(-1.0) / 2, 1e-6);
  const auto ranked =
      suggested({"--where", "filters == 8 && workers == 1 && activation == 'relu'"});
  const double best = std::log(ranked["fastest"][0]["predicted_time"].get<double>());
  const auto& first = json["next"][0];
  const double variance = noise * std::expm1(first["log_determinant_gain"].get<double>());
  const double deviation = variance / std::sqrt(variance + noise);
  const double z = (best - std::log(first["predicted_time"].get<double>())) / deviation;
  const double expected = deviation * (std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0)) +
                                       z * std::erfc(-z / std::sqrt(2)) / 2);
  CHECK(first["expected_improvement"].get<double>() == Approx(expected).epsilon(1e-6));
  const ProgramResult table = suggest(both_of(options, {"--format", "csv"}));
  CHECK(table.output.starts_with("filters,activation,workers,predicted_time_s,improvement\n"));
  const std::string line = table.output.substr(table.output.find('\n') + 1);
  CHECK(line.substr(0, line.find('\n')).ends_with("," + first["expected_improvement"].dump()));
  CHECK(table.errors.find("note: the lowest time predicted of a measured configuration is ") !=
        std::string::npos);
  // The default looks for accuracy.
  const auto accuracy = suggested({"--next", "1", "--goal", "accuracy", "--runs", runs});
  CHECK(accuracy == suggested({"--next", "1", "--runs", runs}));
  CHECK_FALSE(accuracy["next"][0].contains("expected_improvement"));
  // What costs far more waits.
  const std::string workers = first["configuration"]["workers"].dump();
  const Words dear = both_of(options, {"--price", "workers == " + workers + " ? 1e9 : 1"});
  CHECK(suggested(dear)["next"][0]["configuration"]["workers"].dump() != workers);

  // Nothing faster can be looked for where all was measured.
  const Words fastest = {"--next", "1", "--goal", "fastest", "--runs"};
  const std::string all =
      csv_grid("filters,activation,workers,time_s", {"4", "8", "16", "32"}, {"tanh", "relu"},
               {"1", "2", "4"}, [](const char*, const char*, const char*) { return "1"; });
  CHECK(suggest(both_of(fastest, {write("all.csv", all)}))
            .failed(3)
            .ends_with(error_prefix + "every configuration of " + file("space.json") +
                       " was measured\n"));
  // Without a measured configuration that is allowed, the fastest candidate is to be beaten.
  const std::string one = write("one.csv", "filters,activation,workers,time_s\n4,relu,4,1\n");
  CHECK_THAT(suggest(both_of(fastest, {one, "--where", "filters > 4"})).succeeded().errors,
             ContainsSubstring("note: the lowest time predicted of a candidate is "));
}

namespace {

/// Framework opencl knows conv2d alone, GPUs come eight a node, the batch of all is that of one
/// times the GPUs. A batch of 64 always fails, and conv1d with 32 on 8 GPUs does.
std::string runs_with_ties() {
  std::string csv = "framework,layer,nodes,gpus,local_batch,global_batch,time_s\n";
  for (const auto& [framework, layer] :
       {std::pair{"cuda", "conv1d"}, {"cuda", "conv2d"}, {"opencl", "conv2d"}})
    for (const int nodes : {1, 2, 4, 8})
      for (const int batch : {8, 16, 32, 64}) {
        const bool fails =
            batch == 64 || (std::string(layer) == "conv1d" && batch == 32 && nodes == 1);
        const double time = batch * (framework == std::string("cuda") ? 1 : 3) *
                            (layer == std::string("conv1d") ? 1 : 2) * (1 + 0.01 * nodes);
        csv += csv_row(framework, layer, nodes, 8 * nodes, batch, 8 * nodes * batch,
                       fails ? "OOM" : std::to_string(time));
      }
  return csv;
}

const Words tied_columns = {"--extrinsic", "nodes,gpus,local_batch,global_batch"};

/// What suggest finds of runs.csv.
class RunsTest : public ProgramTest {
 public:
  ProgramResult ranked(const Words& options) const {
    return run({"suggest", "model.json", "runs.csv", "--format", "json"}, options).succeeded();
  }
  nlohmann::json next(const std::string& count) const {
    return ranked({"--next", count}).json()["next"];
  }
};

}  // namespace

TEST_CASE_METHOD(RunsTest, "suggest ranks the runs of a file, not what could be made of them",
                 "[cli][suggest]") {
  write("runs.csv", runs_with_ties());
  run({"fit", "runs.csv", "--failed", "drop", "-o", "model.json"}, tied_columns).succeeded();
  const ProgramResult all = ranked({"--top", "1000"});
  CHECK_THAT(all.errors, ContainsSubstring("13 of 48 runs failed and are left out"));
  const auto json = all.json();
  CHECK(json["searched"] == 35);
  CHECK(json["complete"] == true);
  CHECK(json["fastest"].size() == 35);
  for (const auto& item : json["fastest"]) {
    const auto& at = item["configuration"];
    CHECK((at["framework"] == "cuda" || at["layer"] == "conv2d"));
    CHECK(at["gpus"] == 8 * at["nodes"].get<int>());
    CHECK(at["local_batch"] < 64);
  }
  // A configuration that stands in a file twice is one; a file need not tell times.
  write("runs.csv",
        "framework,layer,nodes,gpus,local_batch,global_batch\ncuda,conv2d,1,8,8,64\n"
        "cuda,conv2d,1,8,8,64\ncuda,conv1d,1,8,8,64\n");
  CHECK(ranked({}).json()["fastest"].size() == 2);
}

TEST_CASE_METHOD(RunsTest, "configurations to measure next can exist as far as the runs tell",
                 "[cli][suggest][whole-fits]") {
  write("runs.csv", runs_with_ties());
  for (const std::string expression : {"generic", "multi"}) {
    run({"fit", "runs.csv", "--failed", "drop", "-o", "model.json", "--expression", expression},
        tied_columns)
        .succeeded();
    const auto found = next("1000");
    CHECK(found.size() >= 30);
    for (const auto& item : found) {
      const auto& at = item["configuration"];
      CHECK((at["framework"] == "cuda" || at["layer"] == "conv2d"));
      CHECK(at["gpus"] == 8 * at["nodes"].get<int>());
      CHECK(at["global_batch"] == at["local_batch"].get<int>() * at["gpus"].get<int>());
      CHECK(at["local_batch"] < 64);
      CHECK_FALSE((at["layer"] == "conv1d" && at["local_batch"] == 32 && at["nodes"] == 1));
    }
  }
}

TEST_CASE_METHOD(RunsTest,
                 "configurations to measure next keep the order of columns and their ratios",
                 "[cli][suggest][whole-fits]") {
  // A tensor is not split over more GPUs than there are; the batch of all is shared out evenly.
  std::string csv = "tensor_parallel,gpus,global_batch,width,time_s\n";
  for (int row = 0; row < 120; ++row) {
    const int gpus = 1 + row * 7 % 6;
    const int split = 1 + row * 5 % gpus;
    const int batch = gpus * (1 + row * 3 % 7);
    const int width = 100 + 10 * (row % 11);
    csv += csv_row(split, gpus, batch, width,
                   std::to_string(1 + 0.01 * batch * width / gpus * (1 + 0.1 * (split - 1))));
  }
  write("runs.csv", csv);
  run({"fit", "runs.csv", "--expression", "multi", "--terms", "1", "--extrinsic", "gpus", "-o",
       "model.json"})
      .succeeded();
  const auto found = next("200");
  CHECK(found.size() == 200);
  for (const auto& item : found) {
    const auto& at = item["configuration"];
    CHECK(at["tensor_parallel"] <= at["gpus"]);
    CHECK(at["global_batch"].get<int>() % at["gpus"].get<int>() == 0);
  }
}

TEST_CASE_METHOD(RunsTest, "of many columns only those of one machine are put together",
                 "[cli][suggest][whole-fits]") {
  // Too many combinations to be listed: a machine has its cores and its memory, a level of one
  // option excludes a level of another.
  std::string csv = "machine,cores,memory,a,b,x,y,z,time_s\n";
  for (int row = 0; row < 400; ++row) {
    const int machine = row * 7 % 13;
    const int a = row * 5 % 7;
    const int b = a == 0 ? 0 : row * 11 % 5;
    csv += csv_row("m" + std::to_string(machine), 4 + 3 * machine, 100 + machine * machine,
                   "a" + std::to_string(a), "b" + std::to_string(b), 1 + row % 9, 1 + row * 3 % 11,
                   1 + row * 13 % 8, std::to_string(1 + 0.1 * (row % 9) + a + 0.01 * machine));
  }
  write("runs.csv", csv);
  run({"fit", "runs.csv", "--expression", "multi", "--terms", "1", "--intrinsic", "memory,x,y,z",
       "--categorical", "machine,a,b", "--extrinsic", "cores", "-o", "model.json"})
      .succeeded();
  std::set<std::string> seen;
  for (const auto& item : next("60")) {
    const auto& at = item["configuration"];
    const int machine = std::stoi(at["machine"].get<std::string>().substr(1));
    CHECK(at["cores"] == 4 + 3 * machine);
    CHECK(at["memory"] == 100 + machine * machine);
    CHECK((at["a"] != "a0" || at["b"] == "b0"));
    seen.insert(at.dump());
  }
  CHECK(seen.size() == 60);
}
