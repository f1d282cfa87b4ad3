#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;

namespace {

/// A model that a release wrote, with a time that it predicts.
struct OldModel {
  std::string file;
  int schema_version;
  std::vector<std::string> settings;
  double predicted_ms;
};

const std::vector<std::string> kRun = {"kernel=4", "layers=10", "optimizer=sgd", "gpus=3",
                                       "batch=40"};

}  // namespace

// One of each schema version and form. The times of the formulas are computed from the constants in
// the files by hand; that of the Gaussian process is what the release itself predicted.
TEST_CASE("models of earlier releases predict what they did", "[cli]") {
  const std::vector<OldModel> models = {
      {"0.1.0-generic.json", 1, kRun, 27.731207437399473},
      {"0.1.0-sum.json", 1, kRun, 27.81212587053959},
      {"0.1.0-process.json", 2, kRun, 28.092861143345644},
      {"0.1.0-zeros.json", 3, {"padding=2", "gpus=3", "batch=40"}, 9.94851222227524}};
  for (const OldModel& model : models) {
    INFO(model.file);
    const std::string path = PERFMODEL_SOURCE_DIR "/tests/data/models/" + model.file;
    run_perfmodel({"show", path}).succeeded();
    CHECK(nlohmann::json::parse(read_text(path))["schema_version"] == model.schema_version);
    Words arguments = {"predict", path, "--json", "--set"};
    arguments.insert(arguments.end(), model.settings.begin(), model.settings.end());
    const auto prediction = run_perfmodel(arguments).json();
    CHECK(prediction["predicted_time_ms"].get<double>() ==
          Approx(model.predicted_ms).epsilon(1e-12));
  }
}
