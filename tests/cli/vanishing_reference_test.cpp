// A bootstrap in whose samples the level that others are relative to has no part in a term.

#include <cmath>
#include <random>
#include <string>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;

namespace {

/// Of each level 4 runs of a law of two terms and a constant, of which the first level has nearly
/// nothing of the second.
std::string runs_of_levels(int levels, unsigned seed) {
  std::mt19937 random(seed);
  const auto one_of_16 = [&] { return static_cast<double>(random() % 16) / 4 - 2; };
  std::string csv = "kernel,gpus,batch_size,time_s\n";
  for (int level = 0; level < levels; ++level) {
    const double shared = std::exp(one_of_16());
    const double lost = level == 0 ? 0.05 : std::exp(1.5 * one_of_16());
    for (int run = 0; run < 4; ++run) {
      const double gpus = 1U << random() % 5;
      const double batch = 8U << random() % 4;
      const double time = 1e-4 * shared * batch / gpus + 2e-4 * lost * std::pow(gpus, 0.4) + 3e-4;
      csv += csv_row("level" + std::to_string(level), gpus, batch,
                     time * std::exp(0.04 * one_of_16()));
    }
  }
  return csv;
}

/// The uncertainty of three terms by a bootstrap, of the model in model.json.
nlohmann::json uncertainty_of(const ProgramTest& test, const std::string& runs,
                              const std::string& samples = "100") {
  test.run({"fit", runs, "--expression", "multi", "--terms", "3", "--bootstrap", samples, "-o",
            "model.json"})
      .succeeded();
  return test.model()["uncertainty"];
}

/// How many intervals are open: of factors alone, all others are numbers.
std::size_t open_intervals(const nlohmann::json& uncertainty) {
  std::size_t open = 0;
  for (const std::string list : {"constants", "level_differences", "scaling_powers"}) {
    for (const nlohmann::json& interval : uncertainty[list]) {
      CAPTURE(list, interval);
      CHECK(interval["low"].is_null() == interval["high"].is_null());
      if (interval["low"].is_null()) {
        ++open;
        CHECK(list == "constants");
        CHECK(interval["name"].get<std::string>().starts_with("g["));
      } else {
        CHECK(interval["low"].get<double>() <= interval["high"].get<double>());
      }
    }
  }
  return open;
}

}  // namespace

TEST_CASE_METHOD(ProgramTest,
                 "a factor whose reference vanishes in samples has no interval, the rest has",
                 "[cli][multi][whole-fits]") {
  // Laws of two terms and a constant, of which a third term finds little: in some samples nothing
  // at the first of 17 levels with 4 runs each; in others so few runs at the two of 6 levels where
  // it is that its power of the batch is -77, and its coefficient 10^60 times the fitted one.
  const auto [name, samples] = GENERATE(
      table<std::string, std::string>({{"vanishing_reference", "100"}, {"runaway_power", "40"}}));
  CAPTURE(name);
  const std::string runs = PERFMODEL_SOURCE_DIR "/tests/data/optima/" + name + ".csv";
  const nlohmann::json uncertainty = uncertainty_of(*this, runs, samples);
  const std::size_t open = open_intervals(uncertainty);
  CHECK(open > 0);
  CHECK(open < uncertainty["constants"].size() / 2);
  CHECK(run({"report", "model.json", runs, "-o", "page.html"}).exit_code == 0);
}

TEST_CASE_METHOD(ProgramTest,
                 "powers and coefficients have intervals however many levels there are",
                 "[cli][multi][whole-fits]") {
  const auto [levels, seed, samples] = GENERATE(table<int, unsigned, std::string>(
      {{10, 1, "100"}, {13, 2, "100"}, {17, 1, "100"}, {40, 1, "20"}}));
  CAPTURE(levels, seed);
  write("runs.csv", runs_of_levels(levels, seed));
  open_intervals(uncertainty_of(*this, "runs.csv", samples));
}
