// Names that are bytes and no text.
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;

TEST_CASE("a document names a file whose name is no UTF-8", "[cli]") {
  const TemporaryDirectory directory;
  directory.write("runs\xE9.csv", sample_runs());
  directory.write("model\xE9.json", sample_model());
  ProgramOptions options;
  options.directory = directory.path();
  const ProgramResult model = run_perfmodel({"fit", "runs\xE9.csv", "--quiet"}, options);
  CAPTURE(model.errors);
  REQUIRE(model.exit_code == 0);
  CHECK(nlohmann::json::parse(model.output)["provenance"]["data"]["file"] == "runs\uFFFD.csv");
  const ProgramResult evaluation =
      run_perfmodel({"evaluate", "model\xE9.json", "runs\xE9.csv", "--format", "json"}, options);
  CAPTURE(evaluation.errors);
  REQUIRE(evaluation.exit_code == 0);
  CHECK(nlohmann::json::accept(evaluation.output));
}

TEST_CASE("a unit that is no UTF-8 is refused", "[cli]") {
  ProgramOptions options;
  options.input = sample_runs();
  const ProgramResult result = run_perfmodel({"fit", "-", "--time-unit", "\xE9s"}, options);
  CAPTURE(result.errors);
  CHECK(result.exit_code == 2);
}
