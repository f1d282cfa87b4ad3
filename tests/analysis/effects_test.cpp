#include "effects/effects.hpp"

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "roles/roles.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel;

TEST_CASE("an effect is no more certain than independent runs make it", "[effects]") {
  // ln(2) of a column with the logarithms 0, ln 2, ln 4: their squares about the mean add up to
  // 2 ln(2)^2, so that a slope has the variance 1 / (2 ln(2)^2).
  ModelSpec spec;
  spec.extrinsic = {{"n", 1, 4}};
  spec.categorical = {{"kind", {"a", "b"}}};
  Design runs;
  runs.rows = 3;
  runs.extrinsic = {{.values = {1, 2, 4}, .codes = {}}};
  runs.categorical = {{.levels = 2, .codes = {0, 0, 1}}};
  CHECK(least_half_width({.column = "n", .from = 1.0, .to = 2.0}, spec, runs, 0.1) ==
        Catch::Approx(0.1645 / std::sqrt(2)));
  CHECK(least_half_width({.column = "kind", .from = "b", .to = "a"}, spec, runs, 0.1) ==
        Catch::Approx(0.1645 * std::sqrt(1.5)));
  CHECK(least_half_width({.column = "other", .from = 1.0, .to = 2.0}, spec, runs, 0.1) == 0);
}

namespace {

/// Runs of a program that starts kernels (1 ms a layer, 1.64 ms with `mode` = on) and computes
/// (1 us per layer and row of the batch, 1.25 us with it): the mode costs most of small batches.
std::string runs_of_two_regimes() {
  std::string csv = "layers,batch,mode,time_s\n";
  for (const int layers : {2, 4, 8, 16})
    for (const int batch : {1, 8, 64, 512, 4096, 32768})
      for (const bool on : {false, true})
        csv += test::csv_row(layers, batch, on ? "on" : "off",
                             layers * (1e-3 * (on ? 1.64 : 1) + 1e-6 * batch * (on ? 1.1 : 1)));
  return csv;
}

}  // namespace

TEST_CASE_METHOD(test::ProgramTest, "an effect is told where it holds", "[effects]") {
  write("runs.csv", runs_of_two_regimes());
  const test::ProgramResult fit =
      run({"fit", "runs.csv", "--expression", "multi", "--terms", "2", "--loss", "mape",
           "--categorical", "mode", "--extrinsic", "batch", "-o", "model.json"});
  fit.succeeded();
  nlohmann::json mode;
  nlohmann::json layers;
  const nlohmann::json effects = model()["effects"];
  for (const nlohmann::json& effect : effects) {
    if (effect["column"] == "mode")
      mode = effect;
    if (effect["column"] == "layers")
      layers = effect;
  }
  CHECK(mode["runs_low"].get<double>() == Catch::Approx(1.1).epsilon(0.05));
  CHECK(mode["runs_high"].get<double>() == Catch::Approx(1.64).epsilon(0.05));
  CHECK(mode["ratio"].get<double>() > mode["runs_low"].get<double>());
  CHECK(mode["most_at"] == "small batch");
  // The number of layers acts alike everywhere.
  CHECK(layers["runs_high"].get<double>() ==
        Catch::Approx(layers["runs_low"].get<double>()).epsilon(0.05));
  CHECK_FALSE(layers.contains("most_at"));
  CHECK_THAT(fit.output + fit.errors, Catch::Matchers::ContainsSubstring("most at") &&
                                          Catch::Matchers::ContainsSubstring("small batch"));
  CHECK_THAT(run({"report", "model.json", "runs.csv"}).output,
             Catch::Matchers::ContainsSubstring("small batch"));
}

TEST_CASE_METHOD(test::ProgramTest, "a fit tells which term rules, and where it crosses another",
                 "[effects]") {
  // Starting takes as long as computing at a batch of 1000, or of 1490 with the mode.
  write("runs.csv", runs_of_two_regimes());
  const test::ProgramResult fit =
      run({"fit", "runs.csv", "--expression", "multi", "--terms", "2", "--loss", "mape",
           "--extrinsic", "batch", "-o", "model.json"})
          .succeeded();
  CHECK_THAT(fit.errors,
             Catch::Matchers::ContainsSubstring("\n  largest part  of the runs  most at") &&
                 Catch::Matchers::ContainsSubstring("66.7 %  batch <= 512\n") &&
                 Catch::Matchers::ContainsSubstring("33.3 %  batch >= 4096\n"));
  std::set<std::string> places;
  const nlohmann::json judged =
      run({"evaluate", "model.json", "runs.csv", "--format", "json"}).json();
  for (const nlohmann::json& share : judged["shares"])
    if (share["percent_ruled"] > 0)
      places.insert(share["most_at"].get<std::string>());
  CHECK(places == std::set<std::string>{"batch <= 512", "batch >= 4096"});
}

TEST_CASE_METHOD(test::ProgramTest, "a fit that its folds do not move has effects with a width",
                 "[effects]") {
  // Two machines without a column: absolute errors pass through the runs of one of them.
  std::string csv = "gpus,batch,time_s\n";
  for (const int gpus : {1, 2, 4, 8, 16})
    for (const int batch : {8, 16, 32, 64})
      for (const int machine : {0, 1})
        csv += test::csv_row(gpus, batch,
                             std::to_string(0.05 + 0.01 * batch * (1 - 0.3 * machine) +
                                            0.06 * std::log2(gpus) * (1 + machine)));
  write("runs.csv", csv);
  for (const nlohmann::json& effect : model_of({"runs.csv"})["effects"])
    CHECK(effect["interval"]["upper"].get<double>() >
          1.02 * effect["interval"]["lower"].get<double>());
}
