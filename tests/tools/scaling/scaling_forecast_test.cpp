#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

/// t = `unit` (0.5 layers / gpus + 1), with deviations of up to 4 %, five runs of each.
std::string amdahl_runs(double unit = 1) {
  std::string csv = "layers,gpus,time_s\n";
  int row = 0;
  for (int repetition = 0; repetition < 5; ++repetition)
    for (const double layers : {12, 24, 48})
      for (const double gpus : {1, 2, 4, 8})
        csv += csv_row(layers, gpus,
                       unit * (0.5 * layers / gpus + 1) * (1 + 0.04 * std::sin(12.9898 * ++row)));
  return csv;
}

class ScalingForecast : public ProgramTest {
 public:
  void fit(const std::string& csv, const Words& more = {}) const {
    write("runs.csv", csv);
    run({"fit", "runs.csv", "--quiet", "-o", "model.json"}, more).succeeded();
  }
  ProgramResult scaling(const Words& more, const std::string& kind = "strong") const {
    return run({"scaling", "model.json", "--kind", kind, "--column", "gpus"}, more).succeeded();
  }
  nlohmann::json json(const Words& more = {}, const std::string& kind = "strong") const {
    return scaling(both_of(more, {"--format", "json"}), kind).json();
  }
};

/// The last row before a figure of the rows falls below a limit; nullopt if it never does.
std::optional<double> last_above(const nlohmann::json& rows, const std::string& figure,
                                 double limit) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i][figure] < limit)
      return rows[i - 1]["scale"].get<double>();
  return std::nullopt;
}

std::optional<double> number_of(const nlohmann::json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

}  // namespace

TEST_CASE_METHOD(ScalingForecast,
                 "speedups and efficiencies have the bands of their times, and a run is worth most "
                 "for the knee or the largest scale",
                 "[cli][scaling]") {
  fit(amdahl_runs());
  const nlohmann::json all = json();
  const auto lines = lines_of(scaling({"--format", "csv"}).output);
  CHECK(lines[0].ends_with(
      ",lower,upper,speedup_lower,speedup_upper,efficiency_lower,efficiency_upper,limited_by"));
  REQUIRE(all["rows"].size() == 6);
  const double first = all["rows"][0]["time"];
  for (std::size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    const nlohmann::json& row = all["rows"][i];
    const double slow = i == 0 ? first : row["upper"].get<double>();
    const double fast = i == 0 ? first : row["lower"].get<double>();
    const double scale = row["scale"];
    CHECK(row["speedup_lower"].get<double>() == Approx(first / slow).epsilon(1e-9));
    CHECK(row["speedup_upper"].get<double>() == Approx(first / fast).epsilon(1e-9));
    CHECK(row["efficiency_lower"].get<double>() == Approx(first / slow / scale).epsilon(1e-9));
    CHECK(row["efficiency_upper"].get<double>() == Approx(first / fast / scale).epsilon(1e-9));
    std::string cells;
    for (const char* name :
         {"speedup_lower", "speedup_upper", "efficiency_lower", "efficiency_upper"})
      cells += "," + perfmodel::to_text(row[name].get<double>());
    const std::string limited = row["limit"].is_null() ? "" : row["limit"]["part"];
    CHECK(lines[i + 1].ends_with(cells + "," + limited));
  }

  REQUIRE(all["pays_no_more_at"].is_number());
  CHECK(all["aims"] == nlohmann::json::array({all["pays_until"], all["pays_no_more_at"]}));
  CHECK(json({"--least-efficiency", "1"})["aims"] == nlohmann::json::array({32.0}));
  REQUIRE(all["measure_first"].size() == 3);
  for (const nlohmann::json& each : all["measure_first"]) {
    const double scale = each["scale"];
    const auto row = static_cast<std::size_t>(std::lround(std::log2(scale)));
    CHECK(each["cost"].get<double>() ==
          Approx(scale * all["rows"][row]["time"].get<double>()).epsilon(1e-9));
    CHECK(each["gain"] > 0);
    CHECK(each["gain"] < 1);
  }
  CHECK_THAT(scaling({}).output,
             ContainsSubstring("\nworth a run first, to reduce the standard deviation of the time "
                               "at gpus = "));
}

TEST_CASE_METHOD(ScalingForecast, "the knee is where a table of all whole scales has it",
                 "[cli][scaling]") {
  fit(amdahl_runs());
  for (const std::string limit : {"30", "50", "80", "95"})
    for (const std::string coverage : {"0.5", "0.9"}) {
      CAPTURE(limit, coverage);
      const Words options = {"--least-efficiency", limit, "--coverage", coverage};
      const nlohmann::json rows = json(both_of(options, {"--at", "1:32:+1"}))["rows"];
      const nlohmann::json knee = json(options)["knee"];
      const double least = std::stod(limit) / 100;
      CHECK(number_of(knee["lower"]) == last_above(rows, "efficiency_lower", least));
      CHECK(number_of(knee["predicted"]) == last_above(rows, "efficiency", least));
      CHECK(number_of(knee["upper"]) == last_above(rows, "efficiency_upper", least));
    }
  const nlohmann::json knee = json()["knee"];
  CHECK_THAT(scaling({}).output,
             ContainsSubstring("\nefficiency stays at 50 % or above up to gpus = " +
                               perfmodel::to_text(knee["predicted"].get<double>())) &&
                 ContainsSubstring("\nat the ends of the intervals, up to gpus = " +
                                   perfmodel::to_text(knee["lower"].get<double>()) + " or "));
  CHECK_THAT(scaling({"--least-efficiency", "1"}).output,
             ContainsSubstring("up to gpus = more than 32 or more than 32\n"));
}

TEST_CASE_METHOD(ScalingForecast, "the part that scales worst limits a scale", "[cli][scaling]") {
  fit(amdahl_runs());
  const nlohmann::json all = json({"--set", "layers=12"});
  const double power = all["model"]["q"];
  const double scalable = all["model"]["A"];
  const double constant = all["model"]["C"];
  CHECK(all["rows"][0]["limit"].is_null());
  for (std::size_t i = 1; i < all["rows"].size(); ++i) {
    const nlohmann::json& row = all["rows"][i];
    const double scale = row["scale"];
    const double time = scalable * std::pow(scale, power) + constant;
    const double of_constant = constant * (1 - 1 / scale) / time;
    const double of_others = scalable * (std::pow(scale, power) - 1 / scale) / time;
    REQUIRE(of_constant > of_others);  // the planted power is -1
    CHECK(row["limit"]["part"] == "C");
    CHECK(row["limit"]["share"].get<double>() == Approx(constant / time).epsilon(1e-6));
    CHECK(row["limit"]["excess"].get<double>() == Approx(of_constant).epsilon(1e-6));
  }
  CHECK_THAT(scaling({}).output, ContainsSubstring("limited by  its share of the time  perfect, "
                                                   "it would save"));
  // With weak scaling all but the constant would have to stay, and it falls.
  const nlohmann::json weak = json({}, "weak");
  CHECK(weak["rows"][3]["limit"].is_null());
  // A time that is all power: what is not C limits.
  fit(csv_grid("layers,gpus,time_s", {12, 24, 48}, {1, 2, 4, 8},
               [](double layers, double gpus) { return layers / std::sqrt(gpus); }));
  const nlohmann::json limit = json()["rows"][2]["limit"];
  CHECK(limit["part"] == "all but C");
  CHECK(limit["excess"].get<double>() == Approx(1 - std::sqrt(4.0) / 4).epsilon(0.01));
}

TEST_CASE_METHOD(ScalingForecast, "the growing term of a sum limits large scales",
                 "[cli][scaling]") {
  fit(csv_grid("layers,gpus,time_s", {6, 12, 24, 48, 96}, {1, 2, 4, 8, 16, 32},
               [](double layers, double gpus) { return 0.5 * layers / gpus + 0.02 * gpus; }),
      {"--expression", "multi", "--terms", "2"});
  const nlohmann::json all = json({"--set", "layers=24", "--at", "1,2,4,8,16,32"});
  const nlohmann::json& last = all["rows"][5];
  const double time = 0.5 * 24 / 32 + 0.02 * 32;
  CHECK(last["time"].get<double>() == Approx(time).epsilon(0.02));
  CHECK(last["limit"]["part"].get<std::string>().starts_with("term "));
  CHECK(last["limit"]["share"].get<double>() == Approx(0.02 * 32 / time).epsilon(0.05));
  CHECK(last["limit"]["excess"].get<double>() ==
        Approx((0.02 * 32 - 0.02 / 32) / time).epsilon(0.05));
}

TEST_CASE_METHOD(ScalingForecast, "the unit of the time changes no forecast", "[cli][scaling]") {
  fit(amdahl_runs());
  const nlohmann::json in_s = json();
  fit(amdahl_runs(1000));
  const nlohmann::json in_ms = json();
  CHECK(in_s["knee"] == in_ms["knee"]);
  CHECK(in_s["aims"] == in_ms["aims"]);
  const auto check_near = [](const nlohmann::json& a, const nlohmann::json& b) {
    CHECK(a.get<double>() == Approx(b.get<double>()).epsilon(1e-4));
  };
  for (std::size_t i = 0; i < in_s["rows"].size(); ++i) {
    const nlohmann::json& one = in_s["rows"][i];
    const nlohmann::json& other = in_ms["rows"][i];
    check_near(one["efficiency_lower"], other["efficiency_lower"]);
    if (!one["limit"].is_null())
      check_near(one["limit"]["excess"], other["limit"]["excess"]);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(in_s["measure_first"][i]["scale"] == in_ms["measure_first"][i]["scale"]);
    check_near(in_s["measure_first"][i]["gain"], in_ms["measure_first"][i]["gain"]);
  }
}

TEST_CASE_METHOD(ScalingForecast, "a forecast says only what the model and the scale allow",
                 "[cli][scaling]") {
  fit(amdahl_runs(), {"--coverage", "none"});
  const nlohmann::json without = json();
  CHECK_FALSE(without["rows"][1].contains("speedup_lower"));
  CHECK(without["knee"]["lower"] == without["knee"]["upper"]);
  CHECK(without["knee"]["lower"] == without["knee"]["predicted"]);
  CHECK_THAT(scaling({}).output, !ContainsSubstring("within") &&
                                     !ContainsSubstring("ends of the intervals") &&
                                     ContainsSubstring("limited by"));
  // Measured runs have no model.
  const nlohmann::json runs =
      run({"scaling", "runs.csv", "--column", "gpus", "--format", "json"}).json();
  for (const char* field : {"knee", "aims", "measure_first"})
    CHECK_FALSE(runs.contains(field));
  // A batch has no efficiency, but times that a run makes certain, at its own cost.
  std::string csv = amdahl_runs();
  csv.replace(csv.find("gpus"), 4, "tokens");
  fit(csv, {"--extrinsic", "tokens"});
  const nlohmann::json batch =
      run({"scaling", "model.json", "--column", "tokens", "--format", "json"}).json();
  CHECK_FALSE(batch.contains("knee"));
  CHECK_FALSE(batch["rows"][1].contains("limit"));
  CHECK_FALSE(batch["measure_first"].empty());
  const double scale = batch["measure_first"][0]["scale"];
  const auto row = static_cast<std::size_t>(std::lround(std::log2(scale)));
  CHECK(batch["measure_first"][0]["cost"] == batch["rows"][row]["time"]);
}
