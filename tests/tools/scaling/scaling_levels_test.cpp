// `scaling RUNS`: rates known by their names, levels of different laws, and laws of few scales.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "support/csv_text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Amdahl's law with a serial fraction for each machine, on 1, 2, ..., 64 GPUs.
std::string runs_of_machines(const std::vector<double>& serial, double noise, std::uint64_t seed,
                             int repeats = 1) {
  perfmodel::RandomStream random(seed, "machines");
  std::string csv = "machine,gpus,time_s\n";
  for (std::size_t m = 0; m < serial.size(); ++m)
    for (int gpus = 1; gpus <= 64; gpus *= 2)
      for (int repeat = 0; repeat < repeats; ++repeat) {
        const double time =
            10 * (1 + static_cast<double>(m)) * (serial[m] + (1 - serial[m]) / gpus);
        csv += csv_row(std::string("m") + std::to_string(m), gpus,
                       time * std::exp(noise * random.normal()));
      }
  return csv;
}

class ScalingLevels : public ProgramTest {
 public:
  ProgramResult scaling(const std::string& csv, const Words& more = {}) const {
    write("runs.csv", csv);
    return run({"scaling", "runs.csv"}, more).succeeded();
  }
  nlohmann::json json(const std::string& csv, const Words& more = {}) const {
    return scaling(csv, both_of(more, {"--format", "json"})).json();
  }
};

}  // namespace

TEST_CASE_METHOD(ScalingLevels, "scaling takes a rate by its name, as fit does", "[cli][scaling]") {
  const std::string rates = "cores,rows_per_s\n1,100\n2,180\n4,300\n8,420\n16,OOM\n";
  write("rates.csv", rates);
  run({"fit", "rates.csv", "--quiet", "-o", "model.json"}).succeeded();
  const ProgramResult result = scaling(rates, {"--format", "json"});
  CHECK_THAT(result.errors, ContainsSubstring("Column 'rows_per_s' is taken as the measured "
                                              "throughput, by its name.") &&
                                ContainsSubstring("1 of 5 runs failed"));
  const nlohmann::json study = result.json();
  CHECK(study["rows"][3]["speedup"] == Approx(4.2));
  CHECK(study["fastest_scale"] == 8);
  const nlohmann::json named = json(rates, {"--target", "rows_per_s", "--throughput"});
  CHECK(study["rows"] == named["rows"]);
  CHECK(study["laws"] == named["laws"]);
}

TEST_CASE_METHOD(ScalingLevels, "levels of different laws have laws of their own",
                 "[cli][scaling]") {
  const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 6)));
  const double noise = GENERATE(0.0, 0.02);
  const std::string csv = runs_of_machines({0.02, 0.1}, noise, seed);
  const nlohmann::json study = json(csv);
  CAPTURE(seed, noise);
  REQUIRE(study["levels"].size() == 2);
  for (const char* law : {"amdahl", "usl"})
    CHECK(study["laws"][law].is_null());
  for (std::size_t m = 0; m < 2; ++m) {
    const nlohmann::json& level = study["levels"][m];
    CHECK(level["at"]["machine"] == "m" + std::to_string(m));
    CHECK(level["time_is_relative"] == false);
    CHECK(level["rows"].size() == 7);
    CHECK(level["laws"]["amdahl"]["serial_fraction"].get<double>() ==
          Approx(m == 0 ? 0.02 : 0.1).margin(noise > 0 ? 0.02 : 1e-6));
    // The study of a level is that of its runs alone.
    std::string own = "machine,gpus,time_s\n";
    for (const Words& row : csv_cells(csv))
      if (row[0] == "m" + std::to_string(m))
        own += csv_row(row[0], row[1], row[2]);
    CHECK(json(own)["rows"] == level["rows"]);
  }
  const ProgramResult text = scaling(csv);
  CHECK_THAT(text.errors, ContainsSubstring("no law describes both, so each level of 'machine' has "
                                            "its own"));
  CHECK_THAT(text.output,
             ContainsSubstring("\nmachine = m0\n") && ContainsSubstring("\nmachine = m1\n"));
  const auto table = csv_cells(scaling(csv, {"--format", "csv"}).output);
  REQUIRE(table.size() == 15);
  CHECK(table[0].back() == "machine");
  CHECK(table[1].back() == "m0");
  CHECK(table[14].back() == "m1");
}

TEST_CASE_METHOD(ScalingLevels, "levels of equal laws have one mean", "[cli][scaling]") {
  const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 11)));
  const double noise = GENERATE(0.0, 0.02, 0.1);
  const int repeats = GENERATE(1, 3);
  CAPTURE(seed, noise, repeats);
  const nlohmann::json study = json(runs_of_machines({0.05, 0.05, 0.05}, noise, seed, repeats));
  CHECK(study["levels"].empty());
  CHECK(study["time_is_relative"] == true);
  CHECK(study["laws"]["amdahl"].is_object());
}

TEST_CASE_METHOD(ScalingLevels, "levels in levels are told apart, and those of one scale left out",
                 "[cli][scaling]") {
  std::string csv = "machine,net,gpus,time_s\n";
  for (int gpus = 1; gpus <= 64; gpus *= 2) {
    csv += csv_row("a", "x", gpus, 80.0 / gpus + 1) + csv_row("a", "y", gpus, 80.0 / gpus + 30);
    csv += csv_row("b", "x", gpus, 50.0 + gpus);
  }
  csv += csv_row("c", "x", 4, 9.0);
  const ProgramResult result = scaling(csv, {"--format", "json"});
  CHECK_THAT(result.errors, ContainsSubstring("c is left out: "));
  Words places;
  const nlohmann::json study = result.json();
  for (const auto& level : study["levels"])
    places.push_back(level["at"].dump());
  CHECK(places.size() == 3);
  CHECK(std::ranges::count_if(places, [](const std::string& place) {
          return place.find("\"net\"") != std::string::npos;
        }) >= 2);
}

TEST_CASE_METHOD(ScalingLevels, "nothing is read from a law with as many constants as scales",
                 "[cli][scaling]") {
  for (const std::string kind : {"strong", "weak"}) {
    const Words options = {"--kind", kind};
    const std::string two = "gpus,time_s\n1,10\n4,5.5\n";
    CHECK_THAT(scaling(two, options).output, !ContainsSubstring("ends at") &&
                                                 !ContainsSubstring(" 0.0 %") &&
                                                 ContainsSubstring("any times at so few scales"));
    const nlohmann::json law = json(two, options)["laws"][kind == "weak" ? "gustafson" : "amdahl"];
    CHECK(law["misfit"].is_null());
    CHECK(law["describes"].is_null());
    CHECK(law["serial_fraction"].is_number());
  }
  // Of three, the universal scalability law has as many constants, Amdahl's has fewer.
  const std::string three = "gpus,time_s\n1,10\n4,5.5\n16,4\n";
  const nlohmann::json laws = json(three, {"--kind", "strong"})["laws"];
  CHECK(laws["usl"]["misfit"].is_null());
  CHECK(laws["amdahl"]["misfit"].is_number());
  CHECK_THAT(scaling(three, {"--kind", "strong"}).output,
             ContainsSubstring("speedup ends at") && !ContainsSubstring("peaks at"));
}
