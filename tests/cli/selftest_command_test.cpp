#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;

TEST_CASE("selftest finds the promised digits on this machine", "[selftest]") {
  const ProgramResult result = run_perfmodel({"selftest", "--format", "json"});
  CHECK(result.exit_code == 0);
  const nlohmann::json document = nlohmann::json::parse(result.output);
  CHECK(document["schema"] == "perfmodel/selftest");
  CHECK(document["passed"] == true);
  CHECK(document["figures"].size() > 15);
  for (const nlohmann::json& figure : document["figures"]) {
    CAPTURE(figure["problem"], figure["quantity"]);
    CHECK(figure["digits"].get<double>() >= figure["promised"].get<double>());
  }
}

TEST_CASE("selftest prints a table", "[selftest]") {
  const ProgramResult result = run_perfmodel({"selftest"});
  CHECK(result.exit_code == 0);
  CHECK(result.output.starts_with("NIST StRD DanWood, least squares"));
  CHECK(result.errors.starts_with("perfmodel: note: all "));
}
