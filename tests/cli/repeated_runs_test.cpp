#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel;
using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

double time_of_law(double batch, double gpus) {
  return 1e-3 * batch / gpus + 0.02 + 0.01 * std::sqrt(gpus);
}

/// Runs of 20 configurations, or of a finer grid 60, with a noise of 1 %.
std::string repeated_runs(std::size_t repeats, bool is_fine = false) {
  RandomStream random(11, "repeated runs");
  std::string csv = "batch,gpus,time_s\n";
  for (int k = 0; k < (is_fine ? 12 : 5); ++k)
    for (const double gpus : {1., 2., 4., 8., 16.})
      for (std::size_t run = 0; (is_fine || gpus < 16) && run < repeats; ++run) {
        const double batch = 8 * std::round(2 * std::pow(2, is_fine ? 0.4 * k : k));
        csv += csv_row(batch, gpus, time_of_law(batch, gpus) * std::exp(0.01 * random.normal()));
      }
  return csv;
}

class RepeatedRunsTest : public ProgramTest {
 public:
  ProgramResult fitted(const std::string& csv, const std::string& expression) const {
    write("runs.csv", csv);
    return run({"fit", "runs.csv", "--expression", expression, "-o", "model.json"}).succeeded();
  }

  /// The largest relative error of the model at these GPUs, for batches of 16 to 256.
  double error_at(double gpus) const {
    double out = 0;
    for (const double batch : {16., 32., 64., 128., 256.}) {
      const auto predicted = run({"predict", "model.json", "--set", "batch=" + to_text(batch),
                                  "--set", "gpus=" + to_text(gpus), "--format", "json"})
                                 .json();
      const double time = predicted["predicted_time_s"].get<double>();
      out = std::max(out, std::abs(time / time_of_law(batch, gpus) - 1));
    }
    return out;
  }
};

}  // namespace

TEST_CASE_METHOD(RepeatedRunsTest, "more repeats of the same configurations make no model worse",
                 "[whole-fits]") {
  for (const std::size_t repeats : {50U, 250U, 300U, 1000U}) {
    CAPTURE(repeats);
    const ProgramResult sum = fitted(repeated_runs(repeats), "multi");
    CHECK_THAT(sum.errors, !ContainsSubstring("half of the runs"));
    CHECK(error_at(4) < 0.01);
    CHECK(error_at(64) < 0.02);
  }
  fitted(repeated_runs(300), "auto");
  CHECK(error_at(4) < 0.01);
  CHECK(error_at(64) < 0.02);
  fitted(repeated_runs(167, true), "auto");  // 10,020 rows
  CHECK(error_at(4) < 0.01);
  CHECK(error_at(64) < 0.02);
}

TEST_CASE_METHOD(RepeatedRunsTest,
                 "errors far beyond what repeats scatter by are the first warning") {
  write("runs.csv", repeated_runs(3));
  const ProgramResult given =
      run({"fit", "runs.csv", "--formula", "time_s = a * batch / gpus", "-o", "model.json"})
          .succeeded();
  const nlohmann::json warning = model()["warnings"].at(0);
  CHECK(warning["kind"] == "misfit");
  CHECK_THAT(warning["message"].get<std::string>(),
             ContainsSubstring("repeats of a configuration scatter by "));
  const std::size_t first = given.errors.find("warning: ");
  REQUIRE(first != std::string::npos);
  CHECK(given.errors.substr(first).starts_with("warning: half of the runs are off by more than "));

  for (const std::string& csv : {repeated_runs(1), repeated_runs(3)}) {
    fitted(csv, "multi");
    for (const nlohmann::json& other : model()["warnings"])
      CHECK(other["kind"] != "misfit");
  }
}
