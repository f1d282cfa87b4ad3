// The probability that a run fails, in the file of the model; the rest is in
// tests/transcripts/failures.md.

#include <string>

#include "perfmodel/model.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE_METHOD(ProgramTest, "a model of failing is read as the same bytes, and predicts the same",
                 "[cli]") {
  write("runs.csv",
        csv_grid("size,workers,device,time_s", {1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
                 {1, 2, 4, 8}, [](double size, double workers) {
                   return size > 96 * workers
                              ? "b,OOM"
                              : "a," + perfmodel::to_text(0.01 * size / workers + 0.002 * workers);
                 }));
  const auto fit = [&](const Words& options) {
    run({"fit", "runs.csv", "--failed", "drop", "--expression", "multi", "--terms", "1", "-o",
         "model.json"},
        options)
        .succeeded();
    return read("model.json");
  };
  const std::string text = fit({});
  CHECK_THAT(text, ContainsSubstring("\"usual\": \"a\""));
  write("again.json", to_json(perfmodel::read_model(file("model.json"))));
  CHECK(read("again.json") == text);
  const auto of = [&](const std::string& model) {
    return run({"predict", model, "--set", "size=1:512:x1.5", "workers=1:8:+1", "--format", "csv"})
        .succeeded()
        .output;
  };
  CHECK(of("again.json") == of("model.json"));
  // Any number of threads gives the same model.
  CHECK(fit({"--threads", "3"}) == text);
}
