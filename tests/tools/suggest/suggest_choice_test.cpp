// Choosing by a value over inputs and predicted targets, the best of every value of a column, and
// what a space need not say.

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/csv_text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

/// time = 2 size / workers^0.8 and memory = 500 size / workers + 300, with deviations of up to 5
/// and 10 %.
std::string runs_of_two_targets() {
  std::string csv = "size,workers,mode,time_s,mem_mb\n";
  int row = 0;
  for (const double size : {8, 16, 32, 64})
    for (const double workers : {1, 2, 4, 8})
      for (const std::string mode : {"a", "b"}) {
        const double off = std::sin(12.9898 * ++row);
        const double time = 2 * size / std::pow(workers, 0.8) * (mode == "a" ? 1 : 1.5);
        const double memory = 500 * size / workers + 300;
        csv += csv_row(size, workers, mode, time * (1 + 0.05 * off),
                       memory * (1 + 0.1 * std::cos(78.233 * row)));
      }
  return csv;
}

class ChoiceTest : public ProgramTest {
 public:
  ChoiceTest() {
    write("runs.csv", runs_of_two_targets());
    write("space.json",
          R"({"size": [8, 16, 32, 64], "workers": [1, 2, 4, 8], "mode": ["a", "b"]})");
    fit("time_s,mem_mb", "both.jsonl");
  }
  void fit(const std::string& target, const std::string& to) const {
    const Words other = target == "time_s"   ? Words{"--ignore", "mem_mb"}
                        : target == "mem_mb" ? Words{"--ignore", "time_s"}
                                             : Words{};
    run({"fit", "runs.csv", "--target", target, "--quiet", "-o", to}, other).succeeded();
  }
  nlohmann::json suggested(const Words& arguments) const {
    return run({"suggest"}, both_of(arguments, {"--format", "json"})).json();
  }
};

double number_of(const nlohmann::json& suggestion, const std::string& column) {
  return suggestion["configuration"][column].get<double>();
}

}  // namespace

TEST_CASE_METHOD(ChoiceTest, "suggest maximises a value over inputs and two predicted targets",
                 "[cli][suggest]") {
  const std::string formula = "size^2 / time_s / (mem_mb + 1)";
  const nlohmann::json json = suggested({"both.jsonl", "space.json", "--maximise", formula,
                                         "--where", "mem_mb < 9000", "--top", "40"});
  const nlohmann::json& best = json["best"];
  REQUIRE(best.size() == json["allowed"]);
  REQUIRE(best.size() > 10);
  double last = best[0]["value"]["predicted"];
  for (const nlohmann::json& each : best) {
    const nlohmann::json& memory = each["bounded"]["mem_mb"];
    const double work = number_of(each, "size") * number_of(each, "size");
    const auto value = [&](const char* of_time, const char* of_memory) {
      return work / each[of_time].get<double>() / (memory[of_memory].get<double>() + 1);
    };
    CHECK(memory["upper"] < 9000);
    CHECK(each["value"]["predicted"] == Approx(value("predicted_time", "predicted")));
    CHECK(each["value"]["lower"] == Approx(value("upper", "upper")));
    CHECK(each["value"]["upper"] == Approx(value("lower", "lower")));
    CHECK(each["value"]["predicted"] <= last);
    last = each["value"]["predicted"];
  }
  // It is another order than that of times.
  CHECK(best[0]["configuration"] != json["fastest"][0]["configuration"]);
  const auto rows = csv_cells(run({"suggest", "both.jsonl", "space.json", "--maximise", formula,
                                   "--where", "mem_mb < 9000", "--format", "csv"})
                                  .succeeded()
                                  .output);
  CHECK(rows[0] == Words{"size", "workers", "mode", "predicted_time_s", "lower", "upper",
                         "predicted_mem_mb", "lower_mem_mb", "upper_mem_mb", "value", "lower_value",
                         "upper_value"});
  CHECK(std::stod(rows[1][9]) == Approx(best[0]["value"]["predicted"].get<double>()));
}

TEST_CASE_METHOD(ChoiceTest, "what is maximised is ranked where no condition decides it",
                 "[cli][suggest]") {
  // A target that is only part of the value bounds nothing.
  const ProgramResult both = run({"suggest", "both.jsonl", "space.json", "--maximise",
                                  "size/time_s - mem_mb/1e3", "--format", "json"});
  CHECK(both.json()["target"]["column"] == "time_s");
  CHECK(both.json()["allowed"] == 32);
  CHECK_THAT(both.errors, !ContainsSubstring("conditions"));
  // The other target need not be named, and one model has its target's name and 'time'.
  const Words asked = {"space.json", "--maximise"};
  const auto best = [&](const std::string& model, const std::string& formula) {
    return suggested(both_of({model}, both_of(asked, {formula})))["best"];
  };
  fit("time_s", "time.json");
  CHECK(best("both.jsonl", "size/time_s") == best("time.json", "size/time_s"));
  CHECK(best("time.json", "size/time") == best("time.json", "size/time_s"));
  // The least is that of the negative.
  const nlohmann::json least = best("time.json", "-size/time_s");
  CHECK(number_of(least[0], "workers") == 1);
  CHECK(least[0]["configuration"]["mode"] == "b");

  const auto refused = [&](const Words& arguments) {
    return run(both_of({"suggest", "time.json", "space.json"}, arguments)).refused(2);
  };
  CHECK_THAT(refused({"--maximise", "sizes/time_s"}), ContainsSubstring("did you mean 'size'?"));
  CHECK_THAT(refused({"--maximise", "1/(size - 8)"}),
             ContainsSubstring("the value is no number for every configuration of space.json"));
  CHECK_THAT(refused({"--maximise", "size", "--by", "cost", "--price", "1"}),
             ContainsSubstring("--maximise cannot be combined with --by cost"));
  CHECK_THAT(run({"suggest", "both.jsonl", "space.json", "--maximise", "size"}).refused(2),
             ContainsSubstring("one is ranked"));
}

TEST_CASE_METHOD(ChoiceTest, "suggest lists the best configuration of each value of a column",
                 "[cli][suggest]") {
  fit("time_s", "time.json");
  const Words asked = {"time.json", "space.json", "--price",
                       "workers",   "--maximise", "size/time_s/workers"};
  const nlohmann::json all = suggested(both_of(asked, {"--top", "32"}));
  for (const std::string column : {"size", "mode"}) {
    const nlohmann::json each = suggested(both_of(asked, {"--each", column}));
    for (const char* list : {"fastest", "cheapest", "best"}) {
      std::map<std::string, nlohmann::json> first;
      for (const nlohmann::json& one : all[list])
        first.try_emplace(one["configuration"][column].dump(), one["configuration"]);
      REQUIRE(each[list].size() == first.size());
      for (const nlohmann::json& one : each[list])
        CHECK(one["configuration"] == first[one["configuration"][column].dump()]);
    }
  }
  // In the order of the values.
  const nlohmann::json sizes = suggested({"time.json", "space.json", "--each", "size"})["fastest"];
  REQUIRE(sizes.size() == 4);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(number_of(sizes[i], "size") == 8 << i);
  const auto refused = [&](const Words& arguments) {
    return run(both_of({"suggest", "time.json", "space.json"}, arguments)).refused(2);
  };
  CHECK_THAT(
      refused({"--each", "sizes"}),
      ContainsSubstring("space.json has no column 'sizes' of listed values; did you mean 'size'?"));
  CHECK_THAT(refused({"--each", "size", "--top", "2"}), ContainsSubstring("--each cannot be"));
  write("space.json", space_of(R"({"column": "size", "range": [8, 64]},
      {"column": "workers", "values": [1, 2]}, {"column": "mode", "values": ["a"]})"));
  CHECK_THAT(refused({"--each", "size"}),
             ContainsSubstring("space.json has no column 'size' of listed values"));
}

TEST_CASE_METHOD(ChoiceTest, "suggest takes the models of two targets from two files",
                 "[cli][suggest]") {
  fit("time_s", "time.json");
  fit("mem_mb", "memory.json");
  const Words options = {"--where", "mem_mb < 9000", "--maximise", "size/time_s"};
  const auto best = [&](const Words& files) { return suggested(both_of(files, options))["best"]; };
  const nlohmann::json expected = best({"both.jsonl", "space.json"});
  CHECK(best({"time.json", "memory.json", "space.json"}) == expected);
  CHECK(best({"memory.json", "time.json", "space.json"}) == expected);
  // Without a space, and with a model as the space, it is the combinations of its runs.
  CHECK(best({"time.json", "memory.json"}) == best({"time.json", "memory.json", "time.json"}));
  CHECK_THAT(run({"suggest", "time.json", "time.json", "space.json"}).refused(2),
             ContainsSubstring("two of the models are of 'time_s'"));
}

TEST_CASE_METHOD(ChoiceTest,
                 "suggest searches all combinations of the runs of a model that can exist",
                 "[cli][suggest]") {
  // Runs on the diagonals only: most combinations were not measured.
  std::string csv = "size,workers,threads,time_s\n";
  for (int i = 0; i < 24; ++i)
    csv += csv_row(8 << (i % 4), 1 << (i % 3), 1 + i % 5, (8 << (i % 4)) / (1.0 + i % 3) + i % 5);
  write("runs.csv", csv);
  run({"fit", "runs.csv", "-o", "model.json", "--quiet"}).succeeded();
  const Words pinned = {"--where", "size == 64 && workers == 1 && threads == 2"};
  const auto measured = std::ranges::count_if(csv_cells(csv), [](const Words& row) {
    return row[0] == "64" && row[1] == "1" && row[2] == "2";
  });
  REQUIRE(measured == 0);
  for (const Words& files : {Words{"model.json"}, Words{"model.json", "model.json"}}) {
    const nlohmann::json json = suggested(both_of(files, pinned));
    CHECK(json["searched"] == 4 * 3 * 5);
    REQUIRE(json["fastest"].size() == 1);
    CHECK(number_of(json["fastest"][0], "threads") == 2);
  }
}

TEST_CASE_METHOD(ChoiceTest, "inputs that a space lacks are held at the central run",
                 "[cli][suggest]") {
  fit("time_s", "time.json");
  write("part.json", R"({"workers": [1, 2, 4]})");
  write("part.csv", "workers\n1\n2\n4\n");
  const std::string held = run({"predict", "time.json", "--set", "workers=1,2,4"}).errors;
  const std::string inputs = held.substr(held.rfind(": ") + 2);  // "size=16 mode=a\n"
  for (const std::string space : {"part.json", "part.csv"}) {
    const ProgramResult result =
        run({"suggest", "time.json", space, "--maximise", "size/time_s", "--format", "json"});
    CHECK_THAT(result.errors, ContainsSubstring("note: inputs that " + space +
                                                " lacks are held at the central run (line "));
    CHECK_THAT(result.errors, ContainsSubstring(": " + inputs));
    const nlohmann::json json = result.json();
    CHECK(json["searched"] == 3);
    for (const nlohmann::json& each : json["best"]) {
      const std::string workers = perfmodel::to_text(number_of(each, "workers"));
      CHECK(each["predicted_time"].get<double>() ==
            std::stod(run({"predict", "time.json", "--set", "workers=" + workers}).output));
    }
  }
}

TEST_CASE_METHOD(ChoiceTest, "suggest counts what the conditions on predictions leave out",
                 "[cli][suggest]") {
  const std::string some = "size == 64 && mem_mb < 9000";
  const nlohmann::json of_some = suggested({"both.jsonl", "space.json", "--where", some});
  REQUIRE(of_some["fastest"].size() == 2);
  const double ends =
      of_some["fastest"][0]["upper"].get<double>() + of_some["fastest"][1]["upper"].get<double>();
  const std::string in_time = "time < " + perfmodel::to_text(ends / 2);
  const Words asked = {"suggest", "both.jsonl", "space.json", "--where", some + " && " + in_time};
  const ProgramResult result = run(asked, {"--format", "json"});
  const nlohmann::json json = result.json();
  const int of_memory = json["unmet"]["mem_mb < 9000"];
  const int of_time = json["unmet"][in_time];
  CHECK(of_memory > 0);
  CHECK(of_time > 0);
  CHECK(json["unmet"].size() == 2);  // the user knows of 'size == 64'
  CHECK(of_memory + of_time + json["allowed"].get<int>() == 8);
  CHECK_THAT(result.errors, ContainsSubstring(std::to_string(of_memory) +
                                              " configurations of space.json left "
                                              "out: --where 'mem_mb < 9000' does not hold\n"));
  // Other conditions are counted as a whole.
  const nlohmann::json whole = suggested(
      {"both.jsonl", "space.json", "--where", "size == 64 && (mem_mb < 9000 || mode == 'a')"});
  CHECK(whole["unmet"].size() == 1);
  CHECK(whole["unmet"].begin().value().get<int>() + whole["allowed"].get<int>() == 32);
}

TEST_CASE_METHOD(ChoiceTest, "suggest keeps what the candidates have beside the inputs",
                 "[cli][suggest]") {
  fit("time_s", "time.json");
  write("offers.csv",
        "instance,price,size,workers,mode\n"
        "small,1,64,2,a\nlarge,9,64,8,a\ncheap,0.01,64,1,b\nother,1,64,2,c\n");
  const ProgramResult all = run({"suggest", "time.json", "offers.csv", "--format", "csv"});
  const auto rows = csv_cells(all.succeeded().output);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0] == Words{"size", "mode", "workers", "instance", "price", "predicted_time_s",
                         "lower", "upper"});
  CHECK(rows[1][3] == "large");
  CHECK_THAT(all.errors, ContainsSubstring("1 of 4 rows are left out"));
  // They stand in conditions and prices, and the cost says what it is.
  const ProgramResult cheapest = run({"suggest", "time.json", "offers.csv", "--price", "price",
                                      "--by", "cost", "--where", "instance != 'large'"});
  CHECK_THAT(cheapest.succeeded().output, ContainsSubstring("cost (time_s * (price))"));
  const nlohmann::json json =
      suggested({"time.json", "offers.csv", "--price", "price", "--where", "instance != 'large'"});
  REQUIRE(json["cheapest"].size() == 2);
  CHECK(json["cheapest"][0]["configuration"]["instance"] == "cheap");
  for (const nlohmann::json& each : json["cheapest"])
    CHECK(each["cost"].get<double>() ==
          Approx(each["predicted_time"].get<double>() * number_of(each, "price")));
  // A misspelt input is none of them.
  write("misspelt.csv", "size,worker,mode\n64,2,a\n");
  CHECK_THAT(run({"suggest", "time.json", "misspelt.csv"}).refused(2),
             ContainsSubstring("has no input 'worker'; did you mean 'workers'?"));
}

TEST_CASE_METHOD(ChoiceTest, "a deadline is kept with the probability that is asked for",
                 "[cli][suggest]") {
  fit("time_s", "time.json");
  // The upper end of an interval is exceeded by half of what it leaves out.
  const auto upper_end = [&](const nlohmann::json& at, double p) {
    const auto set = [&](const std::string& name) {
      return name + "=" + perfmodel::to_text(number_of(at, name));
    };
    const std::string mode = at["configuration"]["mode"];
    return run({"predict", "time.json", "--set", set("size"), set("workers"), "mode=" + mode,
                "--coverage", perfmodel::to_text(2 * p - 1), "--format", "json"})
        .json()["upper"]
        .get<double>();
  };
  const ProgramResult half = run({"suggest", "time.json", "space.json", "--deadline", "0.5m",
                                  "--chance", "0.5", "--top", "40", "--format", "json"});
  int between = 0;  // certain ones tell nothing of the distribution
  const nlohmann::json known = half.json();
  for (const nlohmann::json& each : known["fastest"]) {
    const double p = each["p_in_time"];
    CHECK(p >= 0.5);
    CHECK(each["predicted_time"].get<double>() <= 30);
    if (p < 0.51 || p > 0.99)
      continue;
    ++between;
    CHECK(upper_end(each, p - 0.005) <= 30);
    CHECK(upper_end(each, p + 0.005) >= 30);
  }
  CHECK(between > 0);
  CHECK(known["late"].get<int>() + known["allowed"].get<int>() == 32);
  for (const double chance : {0.8, 0.9}) {
    const nlohmann::json kept = suggested({"time.json", "space.json", "--deadline", "30",
                                           "--chance", perfmodel::to_text(chance), "--top", "40"});
    std::size_t expected = 0;
    for (const nlohmann::json& each : known["fastest"])
      expected += upper_end(each, chance) <= 30 ? 1U : 0U;
    CHECK(kept["fastest"].size() == expected);
  }
  CHECK_THAT(run({"suggest", "time.json", "space.json", "--deadline", "30s"}).succeeded().output,
             ContainsSubstring("P(time <= 30s)"));
  CHECK_THAT(run({"suggest", "time.json", "--deadline", "soon"}).refused(2),
             ContainsSubstring("or a duration such as 30m"));
}

TEST_CASE_METHOD(ChoiceTest, "conditions on the ranked time hold at the ends of its interval",
                 "[cli][suggest]") {
  fit("time_s", "time.json");
  const nlohmann::json all = suggested({"time.json", "space.json", "--top", "40"});
  const double bound = (all["fastest"][9]["predicted_time"].get<double>() +
                        all["fastest"][9]["upper"].get<double>()) /
                       2;
  const ProgramResult result = run({"suggest", "time.json", "space.json", "--where",
                                    "time < " + perfmodel::to_text(bound), "--format", "json"});
  CHECK_THAT(result.errors, ContainsSubstring("conditions on 'time_s' have to hold at both ends "
                                              "of its 90 % interval"));
  int expected = 0;
  for (const nlohmann::json& each : all["fastest"])
    expected += each["upper"].get<double>() < bound ? 1 : 0;
  CHECK(result.json()["allowed"] == expected);
  CHECK(expected < 10);
}

TEST_CASE_METHOD(ChoiceTest, "facts replace a name in a space as in the fit", "[cli][suggest]") {
  write("modes.csv", "mode,slowness\na,1\nb,1.5\nc,1.25\n");
  run({"fit", "runs.csv", "--target", "time_s", "--ignore", "mem_mb", "--facts", "mode=modes.csv",
       "--quiet", "-o", "facts.json"})
      .succeeded();
  write("new.json", R"({"size": [64], "workers": [4, 8], "mode": ["a", "c"]})");
  write("new.csv", "size,workers,mode\n64,4,a\n64,8,a\n64,4,c\n64,8,c\n");
  for (const std::string space : {"new.json", "new.csv"}) {
    const nlohmann::json json = suggested({"facts.json", space});
    REQUIRE(json["fastest"].size() == 4);
    for (const nlohmann::json& each : json["fastest"]) {
      const bool is_new = each["configuration"]["mode"] == "c";
      CHECK(number_of(each, "slowness") == (is_new ? 1.25 : 1));
      const std::string workers = perfmodel::to_text(number_of(each, "workers"));
      CHECK(each["predicted_time"].get<double>() ==
            std::stod(run({"predict", "facts.json", "--set", "size=64", "workers=" + workers,
                           is_new ? "slowness=1.25" : "slowness=1"})
                          .output));
    }
  }
}
