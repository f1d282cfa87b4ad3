// A bootstrap in whose samples the level that others are relative to has no part in a term.

#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;
using Json = nlohmann::json;

TEST_CASE("a factor whose reference vanishes in samples has no interval, the rest has",
          "[cli][multi]") {
  // 17 levels with 4 runs each of a law of two terms and a constant, of which a third term finds
  // little: in some samples nothing at the first level.
  const TemporaryDirectory directory;
  const std::string runs = PERFMODEL_SOURCE_DIR "/tests/data/optima/vanishing_reference.csv";
  const std::string model = directory.file("model.json");
  const ProgramResult fit = run_perfmodel(
      {"fit", runs, "--expression", "multi", "--terms", "3", "--bootstrap", "100", "-o", model});
  INFO(fit.errors);
  REQUIRE(fit.exit_code == 0);
  const Json uncertainty = Json::parse(read_text(model))["uncertainty"];
  std::size_t open = 0;
  for (const Json& interval : uncertainty["constants"]) {
    CHECK(interval["low"].is_null() == interval["high"].is_null());
    if (interval["low"].is_null()) {
      ++open;
      CHECK(interval["name"].get<std::string>().starts_with("g[3,kernel="));
    }
  }
  CHECK(open > 0);
  for (const Json& interval : uncertainty["scaling_powers"])
    CHECK(interval["low"].get<double>() <= interval["high"].get<double>());
  const std::string page = directory.file("page.html");
  CHECK(run_perfmodel({"report", model, runs, "-o", page}).exit_code == 0);
}
