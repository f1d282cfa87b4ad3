// Runs that turn along a column, which Eq. (4) cannot follow: what the commands say and recommend.

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Measured: fastest at 48, and nearly twice as slow at 112.
constexpr const char* kMeasured =
    "gpus,time_s\n1,223\n16,17.3\n32,13.5\n48,12\n64,13\n80,14.7\n96,15.2\n112,21.9\n";

using Law = std::function<double(double size, double gpus)>;

/// Runs of a law at some sizes and 1, 2, ..., 128 GPUs, with normal noise of ln t.
std::string runs_of_law(const Law& law, const std::vector<double>& sizes, double noise,
                        std::uint64_t seed) {
  perfmodel::RandomStream random(seed, "turning");
  std::string csv = sizes.size() > 1 ? "size,gpus,time_s\n" : "gpus,time_s\n";
  for (const double size : sizes)
    for (double gpus = 1; gpus <= 128; gpus *= 2) {
      const double time = law(size, gpus) * std::exp(noise * random.normal());
      csv += sizes.size() > 1 ? csv_row(size, gpus, time) : csv_row(gpus, time);
    }
  return csv;
}

class TurningTest : public ProgramTest {
 public:
  void fit(const std::string& csv) const {
    write("runs.csv", csv);
    run({"fit", "runs.csv", "--quiet", "-o", "model.json"}).succeeded();
  }
  ProgramResult suggest(const Words& more = {}) const {
    return run({"suggest", "model.json"}, both_of(more, {"--format", "json"})).succeeded();
  }
};

double gpus_of_first(const ProgramResult& result) {
  return result.json()["fastest"][0]["configuration"]["gpus"].get<double>();
}

constexpr const char* kSaid = "contradict Eq. (4), beyond their noise";

}  // namespace

TEST_CASE_METHOD(TurningTest, "the advice for runs that turn is what was measured to be fastest",
                 "[cli][suggest][scaling]") {
  fit(kMeasured);
  const ProgramResult plain = suggest();
  CHECK(plain.errors.starts_with("perfmodel: warning: along 'gpus' the runs contradict Eq. (4)"));
  CHECK_THAT(plain.errors, ContainsSubstring("at 112, where Eq. (4) expects the lowest") &&
                               ContainsSubstring("--expression auto"));
  CHECK(gpus_of_first(plain) == 48);
  // Of 112, the time that was measured.
  const nlohmann::json ranked = plain.json();
  for (const auto& each : ranked["fastest"])
    if (each["configuration"]["gpus"] == 112)
      CHECK(each["predicted_time"].get<double>() > 17);

  // Nothing beyond the runs, between them what they say.
  write("space.json", R"({"gpus": [8, 40, 56, 112, 128, 256, 512]})");
  const ProgramResult wider = suggest({"space.json"});
  const nlohmann::json within = wider.json();
  for (const auto& each : within["fastest"])
    CHECK(each["configuration"]["gpus"] <= 112);
  CHECK(gpus_of_first(wider) <= 56);
  CHECK(gpus_of_first(wider) >= 40);
  CHECK_THAT(wider.errors,
             ContainsSubstring("for 3 of 7 configurations nothing is known beyond the "
                               "measured 'gpus': they are left out"));
  write("beyond.json", R"({"gpus": [128, 256]})");
  CHECK_THAT(run({"suggest", "model.json", "beyond.json"}).refused(3),
             ContainsSubstring("no configuration of beyond.json is within the measured 'gpus'"));

  const ProgramResult scaling = run({"scaling", "model.json", "--format", "json"}).succeeded();
  CHECK(scaling.errors.starts_with("perfmodel: warning: along 'gpus' the runs contradict"));
  const nlohmann::json study = scaling.json();
  CHECK(study["rows"].size() == 8);
  CHECK(study["fastest_scale"] == 48);
  CHECK(study["model"].is_null());
  CHECK_THAT(run({"scaling", "model.json"}).succeeded().output,
             ContainsSubstring("the throughput is highest at 48\n"));
  CHECK_THAT(run({"report", "model.json", "runs.csv", "--format", "md", "-o", "-"}).output,
             ContainsSubstring("not determined") && ContainsSubstring(kSaid));
}

TEST_CASE_METHOD(TurningTest, "plain fit keeps Eq. (4) where the runs turn, and says so",
                 "[cli][scaling]") {
  write("runs.csv", kMeasured);
  const ProgramResult result = run({"fit", "runs.csv", "-o", "model.json"}).succeeded();
  CHECK(model()["expression"]["form"] == "generic");
  CHECK_THAT(result.errors, ContainsSubstring(kSaid) && ContainsSubstring("--expression auto") &&
                                !ContainsSubstring("48 -> 96"));
}

TEST_CASE_METHOD(TurningTest, "planted laws that turn are found whatever the noise says",
                 "[cli][suggest]") {
  const auto [sizes, noise] = GENERATE(table<std::vector<double>, double>(
      {{{1}, 0}, {{1}, 0.02}, {{1}, 0.05}, {{1, 2, 4}, 0.02}, {{1, 2, 4}, 0.1}}));
  const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 5)));
  const Law law = [](double size, double gpus) { return size * (8 / gpus + 0.05 * gpus); };
  CAPTURE(sizes, noise, seed);
  fit(runs_of_law(law, sizes, noise, seed));
  const ProgramResult result = suggest();
  CHECK_THAT(result.errors, ContainsSubstring(kSaid));
  // The peak is at 12.6: the scales beside it differ by less than a tenth.
  CHECK(gpus_of_first(result) >= 8);
  CHECK(gpus_of_first(result) <= 16);
  const nlohmann::json study = run({"scaling", "model.json", "--format", "json"}).json();
  CHECK(study["fastest_scale"] >= 8);
  CHECK(study["fastest_scale"] <= 16);
  if (sizes.size() == 1)
    CHECK(study["fastest_scale"] == gpus_of_first(result));
}

TEST_CASE_METHOD(TurningTest, "nothing is said of laws that do not turn, which are extrapolated",
                 "[cli][suggest]") {
  const auto law = GENERATE(
      values<Law>({[](double size, double gpus) { return size * 8 / gpus + 0.5; },
                   [](double size, double gpus) { return size * std::pow(gpus, -0.7); },
                   [](double size, double gpus) { return size * (8 / gpus + 1 / std::sqrt(gpus)); },
                   [](double size, double gpus) { return 8 * size / gpus + 0.3 * size; }}));
  const auto sizes = GENERATE(values<std::vector<double>>({{1}, {1, 2, 4}}));
  const double noise = GENERATE(0.0, 0.05);
  const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 4)));
  CAPTURE(sizes, noise, seed);
  fit(runs_of_law(law, sizes, noise, seed));
  write("space.json", sizes.size() > 1 ? R"({"size": [1], "gpus": [64, 128, 256]})"
                                       : R"({"gpus": [64, 128, 256]})");
  const ProgramResult result = suggest({"space.json"});
  CHECK_THAT(result.errors, !ContainsSubstring(kSaid));
  CHECK(gpus_of_first(result) == 256);
  CHECK_THAT(run({"scaling", "model.json"}).succeeded().errors, !ContainsSubstring(kSaid));
}

TEST_CASE_METHOD(TurningTest, "three runs say nothing against the formula", "[cli][suggest]") {
  fit("gpus,time_s\n1,8\n4,3\n16,5\n");
  CHECK_THAT(suggest().errors, !ContainsSubstring(kSaid));
}
