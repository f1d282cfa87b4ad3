#include <algorithm>
#include <cmath>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "report/documents.hpp"
#include "suggest/plan.hpp"
#include "support/markdown.hpp"
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

const std::string suggest_advice = "\nSee 'perfmodel suggest --help'.\n";

}  // namespace

TEST_CASE_METHOD(Files, "suggest finds the fastest configuration of a whole space",
                 "[cli][suggest]") {
  const auto json = suggested({"--top", "24"});
  CHECK(json["schema"] == "perfmodel/suggestions");
  CHECK(json["searched"] == 24);
  CHECK(json["complete"] == true);
  REQUIRE(json["fastest"].size() == 24);
  CHECK(json["fastest"][0]["configuration"]["workers"] == 4);
  CHECK(json["fastest"][0]["configuration"]["filters"] == 4);
  CHECK(json["fastest"][0]["configuration"]["activation"] == "relu");
  for (std::size_t i = 1; i < 24; ++i)
    CHECK(json["fastest"][i - 1]["predicted_time"] <= json["fastest"][i]["predicted_time"]);
}

TEST_CASE_METHOD(Files,
                 "suggest searches ranges of whole numbers as a whole, and lists what it draws "
                 "of others once",
                 "[cli][suggest]") {
  const Words options = {"--top", "1000", "--price", "workers"};
  write("space.json", space_of(R"(
        {"column": "filters", "range": [4, 32], "whole": true},
        {"column": "activation", "values": ["relu", "tanh"]},
        {"column": "workers", "range": [1, 4], "whole": true, "scale": "log"})"));
  const auto whole = suggested(options);
  CHECK(whole["complete"] == true);
  CHECK(whole["searched"] == 29 * 2 * 4);
  CHECK(whole["fastest"].size() == 29 * 2 * 4);
  // Numbers of six digits: there are eleven from 4 to 4.0001, and 200,000 draws.
  write("space.json", space_of(R"(
        {"column": "filters", "range": [4, 4.0001]},
        {"column": "activation", "values": ["relu", "tanh"]},
        {"column": "workers", "values": [1, 2, 4]})"));
  const auto drawn = suggest(both_of(options, {"--format", "json"})).json();
  CHECK(drawn["complete"] == false);
  CHECK(drawn["fastest"].size() == 11 * 2 * 3);
  CHECK(drawn["cheapest"].size() == 11 * 2 * 3);
}

TEST_CASE_METHOD(Files, "suggest weighs time against a price, in its table as in its document",
                 "[cli][suggest]") {
  const Words options = {"--price", "workers * 1.2", "--where", "filters == 32"};
  const auto json = suggested(options);
  for (const auto& item : json["cheapest"]) {
    CHECK(item["cost"] == Approx(item["predicted_time"].get<double>() * 1.2 *
                                 item["configuration"]["workers"].get<double>()));
    CHECK(item["configuration"]["filters"] == 32);
  }
  // More workers are faster, but by less than they cost.
  CHECK(json["cheapest"][0]["configuration"]["workers"] == 1);
  REQUIRE(json["pareto"].size() == 3);
  for (std::size_t i = 1; i < 3; ++i) {
    CHECK(json["pareto"][i - 1]["predicted_time"] < json["pareto"][i]["predicted_time"]);
    CHECK(json["pareto"][i - 1]["cost"] > json["pareto"][i]["cost"]);
  }
  for (const auto& [by, list] :
       {std::pair{"time", "fastest"}, {"cost", "cheapest"}, {"pareto", "pareto"}}) {
    CAPTURE(by);
    std::string expected = "filters,activation,workers,predicted_time_s,cost\n";
    for (const auto& item : json[list])
      expected += csv_row("32", item["configuration"]["activation"].get<std::string>(),
                          item["configuration"]["workers"].dump(), item["predicted_time"].dump(),
                          item["cost"].dump());
    const std::string table = suggest(both_of(options, {"--by", by, "--format", "csv"})).output;
    CHECK(std::regex_replace(table, std::regex("\\.0(?=[,\n])"), "") ==
          std::regex_replace(expected, std::regex("\\.0(?=[,\n])"), ""));
  }
}

TEST_CASE_METHOD(Files, "suggest keeps to conditions on columns, time and cost", "[cli][suggest]") {
  const auto json = suggested({"--price", "workers", "--where", "activation == 'tanh'", "--where",
                               "cost < 10 && workers >= 2"});
  CHECK(json["allowed"] < json["searched"]);
  for (const auto& item : json["fastest"]) {
    CHECK(item["configuration"]["activation"] == "tanh");
    CHECK(item["configuration"]["workers"] >= 2);
    CHECK(item["cost"] < 10);
  }
  CHECK(
      suggest({"--where", "time < 0"}).failed(3) ==
      "perfmodel: warning: conditions on 'time_s' have to hold for its predicted value alone: its "
      "model has no intervals\nperfmodel: note: 24 configurations of " +
          file("space.json") + " left out: --where 'time < 0' does not hold\n" + error_prefix +
          "no configuration of " + file("space.json") + " fulfils all conditions\n");
}

TEST_CASE_METHOD(Files, "suggest proposes as the next to measure what was not, of what can be",
                 "[cli][suggest]") {
  const std::string alike =
      write("alike.csv",
            "filters,activation,workers\n4,relu,1\n8,relu,1\n16,relu,1\n32,relu,1\n4,tanh,1\n");
  const auto next = suggested({"--next", "3", "--runs", alike})["next"];
  REQUIRE(next.size() == 3);
  CHECK(next[0]["configuration"]["workers"] == 4);
  CHECK(next[0]["log_determinant_gain"] >= next[2]["log_determinant_gain"]);
  CHECK(suggest({"--next", "1", "--runs", alike, "--format", "csv"})
            .output.starts_with("filters,activation,workers,predicted_time_s,gain\n"));

  write("plan.csv", "filters,activation,workers\n32,relu,2\n16,tanh,2\n8,relu,2\n");
  write("runs.csv", "filters,activation,workers\n4,relu,1\n8,relu,2\n");
  const auto json = suggested({"--next", "5", "--runs", "runs.csv", "--among", "plan.csv"});
  REQUIRE(json["next"].size() == 3);
  // What relu takes is known already, tanh is not.
  CHECK(json["next"][0]["configuration"]["activation"] == "tanh");
  double left = json["mean_deviation"].get<double>();
  for (const auto& item : json["next"]) {
    CHECK(item["configuration"]["workers"] == 2);
    CHECK(item["deviation_gain"] > 0);
    left -= item["deviation_gain"].get<double>();
  }
  CHECK(left > 0);
  write("plan.csv", "filters,activation,workers\n32,relu,3\n");
  CHECK_THAT(suggest({"--next", "1", "--runs", "runs.csv", "--among", "plan.csv"}).failed(3),
             ContainsSubstring("plan.csv:2: column 'workers'"));
}

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

TEST_CASE_METHOD(ProgramTest, "without runs the next to measure are those of a new machine",
                 "[cli][suggest]") {
  std::string runs = "size,workers,time_s\n";
  std::string choices = "size,workers\n";
  for (int size = 1; size <= 8192; size *= 2)
    for (const int workers : {1, 2, 4, 8}) {
      runs += csv_row(size, workers, 0.01 + 1e-5 * size / workers * (1 + 0.01 * (size % 3)));
      choices += csv_row(size, workers);
    }
  write("runs.csv", runs);
  write("choices.csv", choices);
  run({"fit", "runs.csv", "--expression", "auto", "-o", "old.json"}).succeeded();
  const Words suggest = {"suggest", "old.json", "choices.csv", "--next", "5", "--format", "json"};
  const ProgramResult told = run(suggest);
  CHECK_THAT(told.errors, ContainsSubstring("without --runs nothing of choices.csv counts as "
                                            "measured, as on a new machine\n"));
  const nlohmann::json found = told.json();
  REQUIRE(found["next"].size() == 5);
  // The first run tells how fast the machine is, and both ends of the sizes are measured.
  const double before = found["mean_deviation"];
  CHECK(found["next"][0]["deviation_gain"].get<double>() > 0.5 * before);
  std::set<double> sizes;
  for (const nlohmann::json& each : found["next"]) {
    sizes.insert(each["configuration"]["size"].get<double>());
    // What runs take there is not known: it hardly counts.
    CHECK(each["cost"].get<double>() ==
          Approx(each["predicted_time"].get<double>() + 3 * 0.0923).epsilon(0.02));
  }
  CHECK(*sizes.begin() <= 128);
  CHECK(*sizes.rbegin() >= 1024);
  // The old machine's runs leave hardly anything to learn.
  const nlohmann::json same =
      run(both_of(suggest, {"--runs", "runs.csv", "--among", "choices.csv"})).json();
  CHECK(same["mean_deviation"].get<double>() < 0.05 * before);
}

TEST_CASE_METHOD(Files, "suggest asks what a run costs before it is measured", "[cli][suggest]") {
  const std::string runs =
      write("runs.csv", "filters,activation,workers\n4,relu,1\n8,relu,2\n16,tanh,1\n");
  const auto first = [&](const std::string& price) {
    return suggested({"--next", "1", "--runs", runs, "--price", price})["next"][0];
  };
  const auto even = first("1");
  const std::string workers = even["configuration"]["workers"].dump();
  const auto other = first("workers == " + workers + " ? 1e6 : 1");
  CHECK(other["configuration"]["workers"].dump() != workers);
  CHECK(first("2")["configuration"] == even["configuration"]);
  CHECK(first("2")["cost"].get<double>() == Approx(2 * even["cost"].get<double>()));
  const auto after = [&](const std::string& overhead) {
    return suggested({"--next", "1", "--runs", runs, "--overhead", overhead})["next"][0];
  };
  for (const double overhead : {0.0, 7.0}) {
    const auto next = after(std::to_string(overhead));
    CHECK(next["cost"].get<double>() == Approx(next["predicted_time"].get<double>() + overhead));
  }
  // Of runs that cost alike the one that tells most, whatever it takes.
  CHECK(after("1e9")["deviation_gain"] >= after("0")["deviation_gain"]);
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

TEST_CASE_METHOD(Files, "suggest names what is wrong with its options", "[cli][suggest]") {
  const std::vector<std::pair<Words, std::string>> refusals = {
      {{"--goal", "fastest"}, "--goal needs --next"},
      {{"--next", "1", "--goal", "fastest"},
       "--goal fastest needs --runs: it improves on what was measured"},
      {{"--price", "worker"}, "--price: 'worker': there is no 'worker'; did you mean 'workers'?"},
      {{"--price", "workers - 2"},
       "--price: a price has to be a number >= 0, and is not for every configuration of " +
           file("space.json")},
      {{"--next", "2", "--top", "3"},
       "--top cannot be combined with --next: it looks for information"},
      {{"--among", "x.csv"}, "--among needs --next"}};
  for (const auto& [arguments, message] : refusals)
    CHECK(suggest(arguments).refused() == error_prefix + message + suggest_advice);
  CHECK(suggest({"--next", "1", "--goal", "speed"})
            .failed(2)
            .starts_with(error_prefix + "--goal: 'speed' is not"));
}

TEST_CASE_METHOD(
    Files, "suggest warns of what lies outside of the measured range, and names unknown levels",
    "[cli][suggest][range]") {
  write("model.json", sample_model());  // workers 1 .. 4
  write("space.json", space_of(R"({"column": "filters", "values": [4, 8]},
                    {"column": "activation", "values": ["relu"]},
                    {"column": "workers", "values": [2, 4, 8]})",
                               R"(, "extrinsic": ["workers"])"));
  const ProgramResult fastest = suggest({"--top", "1"}).succeeded();
  CHECK(fastest.errors ==
        "perfmodel: warning: workers = 8 is outside of the measured range 1 .. 4: the prediction "
        "is extrapolated\n");
  CHECK(suggest({"--top", "3", "--strict-range"}).refused(3) ==
        error_prefix +
            "--strict-range: column 'workers' leaves the measured range 1 .. 4 in 2 of 3 rows\n");
  CHECK(suggest({"--strict-range", "--where", "workers <= 4"}).succeeded().errors.empty());
  // JSON has all lists: the cheapest are within the range, the fastest are not.
  const Words cheapest = {"--strict-range", "--top", "1", "--by", "cost", "--price", "workers^2"};
  CHECK(suggest(cheapest).exit_code == 0);
  CHECK(suggest(both_of(cheapest, {"--format", "json"})).exit_code == 3);

  write("space.json", space_of(R"({"column": "filters", "values": [4, 8]},
                    {"column": "activation", "values": ["relu", "gelu"]},
                    {"column": "workers", "values": [2, 4]})",
                               R"(, "extrinsic": ["workers"])"));
  for (const Words& options : {Words{}, Words{"--next", "2"}})
    CHECK(suggest(options).failed(3) ==
          error_prefix + file("space.json") +
              ": column 'activation': the model has no level \"gelu\"; it has 'relu' and 'tanh'; "
              "did you mean 'relu'?\n");
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

TEST_CASE_METHOD(SampleModelTest, "runs are recognised by their content, whatever the file's name",
                 "[cli][suggest]") {
  const std::string csv = "filters,activation,workers\n4,relu,2\n8,tanh,4\n";
  const nlohmann::json first = {{"filters", 4}, {"activation", "relu"}, {"workers", 2}};
  const nlohmann::json second = {{"filters", 8}, {"activation", "tanh"}, {"workers", 4}};
  write("runs.csv", csv);
  write("runs.tsv", std::regex_replace(csv, std::regex(","), "\t"));
  write("runs.txt", std::regex_replace(csv, std::regex(","), "|"));
  write("runs.json", nlohmann::json{first, second}.dump());
  write("runs.jsonl", first.dump() + "\n" + second.dump() + "\n");
  write("space.csv", space);  // a space by its content
  const auto fastest_of = [&](const std::string& name) {
    INFO(name);
    return run({"suggest", "model.json", name, "--format", "json"}).json()["fastest"];
  };
  CHECK(fastest_of("runs.csv").size() == 2);
  for (const char* name : {"runs.tsv", "runs.txt", "runs.json", "runs.jsonl"}) {
    CHECK(fastest_of(name) == fastest_of("runs.csv"));
    CHECK(run({"suggest", "model.json", name, "--next", "1", "--format", "csv"}).exit_code == 0);
  }
  CHECK(fastest_of("space.csv").size() == 10);  // of its 24 configurations
  // A space that is cut off, or lacks its schema, is still meant as one.
  write("space.json", R"({"columns": [{"column": "filters", "values": [4, 8]}]})");
  CHECK(run({"suggest", "model.json", "space.json"}).errors ==
        "perfmodel: error: no columns 'activation' and 'workers' in space.json; there are "
        "'filters'\n");
  write("space.json", space.substr(0, space.size() / 2));
  CHECK_THAT(run({"suggest", "model.json", "space.json"}).failed(3),
             Catch::Matchers::StartsWith("perfmodel: error: space.json:3:"));
}

TEST_CASE_METHOD(SampleModelTest,
                 "rows of levels that a model does not know are left out of a ranking",
                 "[cli][suggest]") {
  write("plan.csv", "filters,activation,workers\n4,relu,2\n8,gelu,2\n8,tanh,4\n4,gelu,4\n");
  const std::string said =
      "plan.csv: 2 of 4 rows are left out: the runs that the model is fitted to have no "
      "activation = \"gelu\" (2 rows, from line 3 on)";
  for (const bool next : {false, true}) {
    const ProgramResult result = run({"suggest", "model.json", "plan.csv", "--format", "json"},
                                     next ? Words{"--next", "4"} : Words{})
                                     .succeeded();
    CHECK(occurrences(result.errors, said) == 1);
    CHECK(occurrences(result.output, "gelu") == 0);
    CHECK(result.json()[next ? "next" : "fastest"].size() >= 2);
  }
  write("plan.csv", "filters,activation,workers\n8,gelu,2\n");
  CHECK_THAT(run({"suggest", "model.json", "plan.csv"}).failed(3),
             ContainsSubstring("activation = \"gelu\" (line 2)"));
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
