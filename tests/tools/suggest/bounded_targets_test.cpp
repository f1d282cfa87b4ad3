#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string bounded_space =
    R"({"schema": "perfmodel/space", "schema_version": 1, "columns": [
        {"column": "size", "values": [8, 16, 32, 64]},
        {"column": "workers", "values": [1, 2, 4, 8]}], "extrinsic": ["workers"]})";

/// time = 2 size / workers^0.8 and memory = 500 size / workers + 300, with deviations of up to 5
/// and 10 %; three runs of each configuration.
std::string bounded_runs(double memory_unit = 1) {
  std::string csv = "size,workers,time_s,mem_mb\n";
  int row = 0;
  for (int repetition = 0; repetition < 3; ++repetition)
    for (const double size : {8, 16, 32, 64})
      for (const double workers : {1, 2, 4, 8}) {
        const double off = std::sin(12.9898 * ++row);
        const double time = 2 * size / std::pow(workers, 0.8) * (1 + 0.05 * off);
        const double memory = (500 * size / workers + 300) * (1 + 0.1 * std::cos(78.233 * row));
        csv += csv_row(size, workers, time, memory * memory_unit);
      }
  return csv;
}

using GridPoint = std::pair<double, double>;
using Predictions = std::map<GridPoint, nlohmann::json>;

class TwoTargets : public ProgramTest {
 public:
  TwoTargets() {
    write("space.json", bounded_space);
    write("runs.csv", bounded_runs());
    fit("runs.csv", "all.jsonl");
  }

  void fit(const std::string& runs, const std::string& to, const Words& more = {}) const {
    run({"fit", runs, "--target", "time_s,mem_mb", "--quiet", "-o", to}, more).succeeded();
  }
  nlohmann::json suggested(Words more, const std::string& models = "all.jsonl") const {
    more.insert(more.end(), {"--format", "json"});
    return run({"suggest", models, "space.json"}, more).json();
  }
  std::string refused(const Words& more, int exit_code) const {
    return run({"suggest", "all.jsonl"}, more).refused(exit_code);
  }
  /// Of a target: what `predict` says of each configuration of the space.
  Predictions predicted(const std::string& target, Words more = {}) const {
    more.insert(more.begin(), {"predict", "all.jsonl", "--pick", "target == \"" + target + "\"",
                               "--set", "size=8,16,32,64", "workers=1,2,4,8", "--format", "json"});
    Predictions out;
    const nlohmann::json json = run(more).json();
    for (const nlohmann::json& each : json["predictions"]) {
      nlohmann::json& known =
          out[{each["configuration"]["size"], each["configuration"]["workers"]}];
      known = each;
      known["predicted"] = each["predicted_" + target];
    }
    return out;
  }
};

GridPoint place_of_suggestion(const nlohmann::json& suggestion) {
  return {suggestion["configuration"]["size"], suggestion["configuration"]["workers"]};
}

/// The configurations whose predictions fulfil a condition.
template <class Condition>
std::set<GridPoint> places_where(const Predictions& predictions, const Condition& fulfils) {
  std::set<GridPoint> out;
  for (const auto& [place, prediction] : predictions)
    if (fulfils(prediction))
      out.insert(place);
  return out;
}

std::set<GridPoint> places_below(const Predictions& memory, double bound) {
  return places_where(
      memory, [&](const nlohmann::json& each) { return each["upper"] < bound; });
}

}  // namespace

TEST_CASE_METHOD(TwoTargets, "suggest bounds a second target at the far end of its interval",
                 "[cli][suggest]") {
  const auto memory = predicted("mem_mb");
  REQUIRE(memory.size() == 16);
  // Between the ends of an interval, so that the predicted value alone would be allowed.
  const nlohmann::json& middle = memory.at({32, 4});
  const double high = middle["upper"];
  const double low = middle["lower"];
  const double value = middle["predicted"];
  for (const bool is_upper : {true, false}) {
    const double bound = is_upper ? (value + high) / 2 : (value + low) / 2;
    CAPTURE(bound);
    const nlohmann::json json = suggested(
        {"--where", std::string("mem_mb ") + (is_upper ? "< " : "> ") + perfmodel::to_text(bound),
         "--top", "16"});
    const std::set<GridPoint> expected = places_where(memory, [&](const nlohmann::json& each) {
      return is_upper ? each["upper"] < bound : each["lower"] > bound;
    });
    CHECK(json["allowed"] == expected.size());
    CHECK(json["without_bounded"] == 0);
    REQUIRE(json["fastest"].size() == expected.size());
    CHECK_FALSE(expected.contains({32, 4}));
    double last = 0;
    for (const nlohmann::json& each : json["fastest"]) {
      const auto place = place_of_suggestion(each);
      CHECK(expected.contains(place));
      CHECK(each["bounded"]["mem_mb"]["predicted"] == memory.at(place)["predicted"]);
      CHECK(each["bounded"]["mem_mb"]["lower"] == memory.at(place)["lower"]);
      CHECK(each["bounded"]["mem_mb"]["upper"] == memory.at(place)["upper"]);
      CHECK(each["predicted_time"] >= last);
      last = each["predicted_time"];
    }
  }

  // The coverage sets how certain a bound has to be.
  const auto allowed = [&](const std::string& coverage) {
    const ProgramResult result =
        run({"suggest", "all.jsonl", "space.json", "--where", "mem_mb < 6000", "--coverage",
             coverage, "--top", "16", "--format", "json"});
    const nlohmann::json json = result.json();
    CHECK(json["allowed"] ==
          places_below(predicted("mem_mb", {"--coverage", coverage}), 6000).size());
    CHECK(json["interval_level"] == std::stod(coverage));
    CHECK_THAT(result.errors,
               ContainsSubstring("note: conditions on 'mem_mb' have to hold at both ends of its " +
                                 perfmodel::to_text(100 * std::stod(coverage)) + " % interval\n"));
    return json["allowed"].get<int>();
  };
  CHECK(allowed("0.5") >= allowed("0.9"));
}

TEST_CASE_METHOD(TwoTargets, "the target that no condition names is ranked", "[cli][suggest]") {
  const auto time = predicted("time_s");
  const nlohmann::json json = suggested({"--where", "time_s < 20 && time > 1000", "--top", "16"});
  CHECK(json["target"]["column"] == "mem_mb");
  std::size_t expected = 0;
  for (const auto& [place, memory] : predicted("mem_mb"))
    expected += time.at(place)["upper"] < 20 && memory["lower"] > 1000;
  CHECK(json["allowed"] == expected);
  CHECK(expected > 0);
  // A picked model alone is ranked as before.
  const nlohmann::json one = suggested({"--pick", "target == \"time_s\""});
  CHECK(one["target"]["column"] == "time_s");
  CHECK_FALSE(one["fastest"][0].contains("bounded"));
  CHECK_FALSE(one.contains("without_bounded"));
}

TEST_CASE_METHOD(TwoTargets, "cost, the front, runs as a space and other units keep the bound",
                 "[cli][suggest]") {
  const Words options = {"--where", "mem_mb < 6000", "--price", "workers", "--top", "16"};
  const nlohmann::json json = suggested(options);
  const std::set<GridPoint> allowed = places_below(predicted("mem_mb"), 6000);
  CHECK(json["cheapest"].size() == allowed.size());
  CHECK_FALSE(json["pareto"].empty());
  for (const char* list : {"cheapest", "pareto"})
    for (const nlohmann::json& each : json[list])
      CHECK(allowed.contains(place_of_suggestion(each)));
  const auto lines = lines_of(
      run({"suggest", "all.jsonl", "space.json", "--by", "cost", "--format", "csv"}, options)
          .output);
  CHECK(lines[0] ==
        "size,workers,predicted_time_s,lower,upper,predicted_mem_mb,lower_mem_mb,upper_mem_mb,"
        "cost");
  const nlohmann::json& first = json["cheapest"][0];
  const nlohmann::json& bounded = first["bounded"]["mem_mb"];
  const auto number = [](const nlohmann::json& node) { return node.get<double>(); };
  CHECK(lines[1] + "\n" ==
        csv_row(number(first["configuration"]["size"]), number(first["configuration"]["workers"]),
                number(first["predicted_time"]), number(first["lower"]), number(first["upper"]),
                number(bounded["predicted"]), number(bounded["lower"]), number(bounded["upper"]),
                number(first["cost"])));

  const Words asked = {"--where", "mem_mb < 6000", "--top", "16"};
  const nlohmann::json in_mb = suggested(asked);
  CHECK(run({"suggest", "all.jsonl", "runs.csv", "--format", "json"}, asked).json()["fastest"] ==
        in_mb["fastest"]);
  write("in_kb.csv", bounded_runs(1024));
  fit("in_kb.csv", "in_kb.jsonl");
  const nlohmann::json in_kb =
      suggested({"--where", "mem_mb < 6000 * 1024", "--top", "16"}, "in_kb.jsonl");
  REQUIRE(in_mb["fastest"].size() == in_kb["fastest"].size());
  for (std::size_t i = 0; i < in_mb["fastest"].size(); ++i) {
    CHECK(in_mb["fastest"][i]["configuration"] == in_kb["fastest"][i]["configuration"]);
    CHECK(1024 * in_mb["fastest"][i]["bounded"]["mem_mb"]["upper"].get<double>() ==
          Approx(in_kb["fastest"][i]["bounded"]["mem_mb"]["upper"].get<double>()).epsilon(1e-6));
  }
}

TEST_CASE_METHOD(TwoTargets, "the configurations to measure next fulfil the conditions as well",
                 "[cli][suggest]") {
  const auto memory = predicted("mem_mb");
  for (const std::string goal : {"accuracy", "fastest"}) {
    CAPTURE(goal);
    write("few.csv", "size,workers,time_s,mem_mb\n64,1,130,31000\n8,8,3,800\n");
    const nlohmann::json json = suggested(
        {"--next", "16", "--goal", goal, "--runs", "few.csv", "--where", "mem_mb < 6000"});
    std::set<GridPoint> expected = places_below(memory, 6000);
    expected.erase({8, 8});  // which was measured
    std::set<GridPoint> found;
    for (const nlohmann::json& each : json["next"]) {
      found.insert(place_of_suggestion(each));
      CHECK(each["bounded"]["mem_mb"]["upper"] == memory.at(place_of_suggestion(each))["upper"]);
    }
    CHECK(found == expected);
  }
  CHECK_THAT(refused({"space.json", "--next", "2", "--where", "mem_mb < 1"}, 3),
             ContainsSubstring("no configuration of space.json fulfils all conditions"));
}

TEST_CASE_METHOD(TwoTargets, "a level without a model of the second target is not suggested",
                 "[cli][suggest]") {
  // The memory of the new GPU is not known; with one other GPU, no input of its model says so.
  for (const Words& others : {Words{"old"}, Words{"old", "older"}}) {
    std::string csv = "gpu,size,workers,time_s,mem_mb\n";
    for (const auto& line : lines_of(bounded_runs()))
      if (!line.starts_with("size")) {
        for (const std::string& other : others)
          csv += csv_row(other, line);
        csv += csv_row("new", line.substr(0, line.rfind(',')), "OOM");
      }
    write("gpus.csv", csv);
    fit("gpus.csv", "gpus.jsonl", {"--failed", "drop"});
    write("space.json", R"({"schema": "perfmodel/space", "schema_version": 1, "columns": [
        {"column": "gpu", "values": ["old", "new"]}, {"column": "size", "values": [8, 16]},
        {"column": "workers", "values": [1, 2]}]})");
    const ProgramResult result =
        run({"suggest", "gpus.jsonl", "space.json", "--where", "mem_mb < 1e6", "--format", "json"});
    CHECK_THAT(result.errors,
               ContainsSubstring("for 4 of 8 configurations a target that conditions bound cannot "
                                 "be predicted: they are left out\n"));
    const nlohmann::json json = result.json();
    CHECK(json["without_bounded"] == 4);
    CHECK(json["allowed"] == 4);
    REQUIRE(json["fastest"].size() == 4);
    for (const nlohmann::json& each : json["fastest"])
      CHECK(each["configuration"]["gpu"] == "old");
  }
}

TEST_CASE_METHOD(TwoTargets, "suggest says what it cannot rank or bound", "[cli][suggest]") {
  CHECK_THAT(refused({"space.json"}, 2),
             ContainsSubstring(
                 "the file holds models of 'time_s' and 'mem_mb': one is ranked, and --where "
                 "has to name all others ('mem_mb < ...'); or choose by --pick 'target == "
                 "\"time_s\"'"));
  CHECK_THAT(refused({"space.json", "--where", "mem_gb < 4"}, 2),
             ContainsSubstring("--where has to name all others ('mem_mb < ...')"));
  CHECK_THAT(refused({"space.json", "--where", "time_s < 1 && mem_mb < 4"}, 2),
             ContainsSubstring("--where has to leave out its name, which is 'time' there"));
  CHECK_THAT(refused({"space.json", "--where", "mem_mb < 4000 && worker < 4"}, 2),
             ContainsSubstring("there is no 'worker'; did you mean 'workers'?"));
  CHECK_THAT(
      refused({"space.json", "--pick", "target == \"time_s\"", "--where", "mem_mb < 4000"}, 2),
      ContainsSubstring("there is no 'mem_mb'"));
  write("taken.json", R"({"schema": "perfmodel/space", "schema_version": 1, "columns": [
      {"column": "size", "values": [8]}, {"column": "workers", "values": [1]},
      {"column": "mem_mb", "values": [1]}]})");
  CHECK_THAT(refused({"taken.json", "--where", "mem_mb < 4000"}, 3),
             ContainsSubstring("a column cannot be called 'mem_mb'"));
  // Of several groups, one has to be picked.
  std::string csv = "kernel,size,workers,time_s,mem_mb\n";
  for (const auto& line : lines_of(bounded_runs()))
    if (!line.starts_with("size"))
      csv += "a," + line + "\nb," + line + "\n";
  write("kernels.csv", csv);
  fit("kernels.csv", "all.jsonl", {"--by", "kernel"});
  CHECK_THAT(refused({"space.json", "--where", "mem_mb < 4000"}, 2),
             ContainsSubstring("the file holds 4 such models; one is needed: --pick 'kernel == "));
  CHECK(suggested({"--where", "mem_mb < 4000", "--pick", "kernel == \"a\""})["allowed"] > 0);
}

TEST_CASE_METHOD(TwoTargets, "without intervals the predicted value has to fulfil a bound",
                 "[cli][suggest]") {
  fit("runs.csv", "all.jsonl", {"--coverage", "none"});
  const auto expected = places_where(
      predicted("mem_mb"), [](const nlohmann::json& each) { return each["predicted"] < 6000; });
  const ProgramResult result =
      run({"suggest", "all.jsonl", "space.json", "--where", "mem_mb < 6000", "--format", "json"});
  CHECK_THAT(result.errors,
             ContainsSubstring("warning: conditions on 'mem_mb' have to hold for its predicted "
                               "value alone: its model has no intervals\n"));
  const nlohmann::json json = result.json();
  CHECK(json["allowed"] == expected.size());
  CHECK_FALSE(json["fastest"][0]["bounded"]["mem_mb"].contains("upper"));
  CHECK_THAT(refused({"space.json", "--where", "mem_mb < 6000", "--coverage", "0.9"}, 3),
             ContainsSubstring("no"));
}
