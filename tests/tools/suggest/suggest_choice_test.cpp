// Choosing by a value over inputs and predicted targets, the best of every value of a column, and
// what a space need not say.

#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
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
