#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;

// One of each schema version and form. The times of the formulas are computed from the constants in
// the files by hand; that of the Gaussian process is what the release itself predicted.
TEST_CASE("models of earlier releases predict what they did", "[cli]") {
  const Words configuration = {"kernel=4", "layers=10", "optimizer=sgd", "gpus=3", "batch=40"};
  const auto [file, schema_version, settings, predicted_ms] =
      GENERATE_COPY(table<std::string, int, Words, double>({
          {"0.1.0-generic.json", 1, configuration, 27.731207437399473},
          {"0.1.0-sum.json", 1, configuration, 27.81212587053959},
          {"0.1.0-process.json", 2, configuration, 28.092861143345644},
          {"0.1.0-zeros.json", 3, {"padding=2", "gpus=3", "batch=40"}, 9.94851222227524},
      }));
  CAPTURE(file);
  const std::string path = PERFMODEL_SOURCE_DIR "/tests/data/models/" + file;
  run_perfmodel({"show", path}).succeeded();
  CHECK(nlohmann::json::parse(read_text(path))["schema_version"] == schema_version);
  Words arguments = {"predict", path, "--json", "--set"};
  arguments.insert(arguments.end(), settings.begin(), settings.end());
  CHECK(run_perfmodel(arguments).json()["predicted_time_ms"].get<double>() ==
        Catch::Approx(predicted_ms).epsilon(1e-12));
}
