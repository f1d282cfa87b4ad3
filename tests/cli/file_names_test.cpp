// Names that are bytes and no text.
#include <string>

#include "support/program_fixture.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;

TEST_CASE_METHOD(ProgramTest, "a document names a file whose name is no UTF-8", "[cli]") {
  write("runs\xE9.csv", sample_runs());
  write("model\xE9.json", sample_model());
  const ProgramResult model = run({"fit", "runs\xE9.csv", "--quiet"}).succeeded();
  CHECK(model.json()["provenance"]["data"]["file"] == "runs\uFFFD.csv");
  CHECK(nlohmann::json::accept(
      run({"evaluate", "model\xE9.json", "runs\xE9.csv", "--format", "json"}).succeeded().output));
}

TEST_CASE("a unit that is no UTF-8 is refused", "[cli]") {
  ProgramOptions options;
  options.input = sample_runs();
  run_perfmodel({"fit", "-", "--time-unit", "\xE9s"}, options).failed(2);
}
