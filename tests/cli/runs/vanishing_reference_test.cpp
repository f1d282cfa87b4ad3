// A bootstrap in whose samples the level that others are relative to has no part in a term.

#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;
using Json = nlohmann::json;

TEST_CASE("a factor whose reference vanishes in samples has no interval, the rest has",
          "[cli][multi]") {
  // Laws of two terms and a constant, of which a third term finds little: in some samples nothing
  // at the first of 17 levels with 4 runs each; in others so few runs at the two of 6 levels where
  // it is that its power of the batch is -77, and its coefficient 10^60 times the fitted one.
  const auto [file, samples] = GENERATE(
      table<std::string, std::string>({{"vanishing_reference", "100"}, {"runaway_power", "40"}}));
  CAPTURE(file);
  const TemporaryDirectory directory;
  const std::string runs = PERFMODEL_SOURCE_DIR "/tests/data/optima/" + file + ".csv";
  const std::string model = directory.file("model.json");
  const ProgramResult fit = run_perfmodel(
      {"fit", runs, "--expression", "multi", "--terms", "3", "--bootstrap", samples, "-o", model});
  INFO(fit.errors);
  REQUIRE(fit.exit_code == 0);
  const Json uncertainty = Json::parse(read_text(model))["uncertainty"];
  std::size_t open = 0;
  for (const Json& interval : uncertainty["constants"]) {
    CAPTURE(interval.dump());
    CHECK(interval["low"].is_null() == interval["high"].is_null());
    if (!interval["low"].is_null())
      continue;
    CHECK(interval["name"].get<std::string>().starts_with("g["));
    ++open;
  }
  CHECK(open > 0);
  CHECK(open < uncertainty["constants"].size() / 2);
  REQUIRE(uncertainty["scaling_powers"].size() == 2);
  for (const Json& interval : uncertainty["scaling_powers"]) {
    CAPTURE(interval.dump());
    REQUIRE(interval["low"].is_number());
    REQUIRE(interval["high"].is_number());
    CHECK(interval["low"].get<double>() <= interval["high"].get<double>());
  }
  const std::string page = directory.file("page.html");
  CHECK(run_perfmodel({"report", model, runs, "-o", page}).exit_code == 0);
}
