// The laws that few runs allow, and the runs that tell them apart.

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// 5 + 2 ln(gpus) with noise of 3 %: powers fit as well.
constexpr const char* kSlowGrowth =
    "gpus,time_s\n"
    "1,5.06837\n"
    "2,6.22147\n"
    "3,6.96759\n"
    "4,7.73907\n"
    "6,8.74023\n"
    "8,8.90851\n"
    "12,9.7975\n";

class RivalLawsTest : public ProgramTest {
 public:
  ProgramResult fit(const std::string& csv, const Words& further = {}) const {
    write("runs.csv", csv);
    return run({"fit", "runs.csv", "--expression", "auto", "-o", "model.json"}, further)
        .succeeded();
  }
};

}  // namespace

TEST_CASE_METHOD(RivalLawsTest, "laws that a few runs allow stand beside the formula",
                 "[cli][laws]") {
  const ProgramResult fitted = fit(kSlowGrowth);
  const nlohmann::json laws = model()["laws"];
  CHECK(laws["column"] == "gpus");
  CHECK(laws["values"] == nlohmann::json({24, 48}));
  REQUIRE(laws["laws"].size() >= 2);
  REQUIRE(laws["laws"].size() <= 4);
  double sum = 0;
  double last = 1;
  for (const nlohmann::json& law : laws["laws"]) {
    CAPTURE(law);
    const double weight = law["weight"];
    CHECK(weight <= last);
    CHECK(weight >= 0.05);
    last = weight;
    sum += weight;
    CHECK(law["times"].size() == 2);
    const std::string formula = law["formula"];
    CHECK_THAT(fitted.errors, ContainsSubstring(formula.substr(4) + ": "));
  }
  CHECK(sum <= 1 + 1e-9);
  // They differ by more than a fifth at four times the largest scale.
  std::vector<double> farthest;
  for (const nlohmann::json& law : laws["laws"]) {
    const double time = law["times"][1];
    for (const double other : farthest)
      CHECK(std::abs(std::log(time / other)) >= 0.2);
    farthest.push_back(time);
  }
  CHECK_THAT(fitted.errors, ContainsSubstring("\n  laws that these runs allow\n"));
  CHECK_THAT(fitted.errors, ContainsSubstring(" would tell them apart: "));
  run({"report", "model.json", "runs.csv", "-o", "page.html"}).succeeded();
  CHECK_THAT(read("page.html"), ContainsSubstring("Laws that these runs allow"));
}

TEST_CASE_METHOD(RivalLawsTest, "a law expects the times of its formula", "[cli][laws]") {
  fit(kSlowGrowth, {"--residual", "none"});
  const nlohmann::json fitted = model();
  bool found = false;
  for (const nlohmann::json& law : fitted["laws"]["laws"]) {
    if (law["formula"] != fitted["expression"]["formula"])
      continue;
    found = true;
    for (std::size_t k = 0; k < 2; ++k) {
      const double value = fitted["laws"]["values"][k];
      const nlohmann::json said = run({"predict", "model.json", "--json", "--quiet", "--set",
                                       "gpus=" + perfmodel::to_text(value)})
                                      .json();
      CHECK(said["predicted_time_s"] == Catch::Approx(law["times"][k]).epsilon(1e-9));
    }
  }
  CHECK(found);
}

TEST_CASE_METHOD(RivalLawsTest, "a law without noise has no rivals", "[cli][laws]") {
  std::string csv = "gpus,time_s\n";
  for (const double gpus : {1., 2., 4., 8., 16., 32.})
    csv += csv_row(gpus, 20 / gpus + 3);
  CHECK_THAT(fit(csv).errors, !ContainsSubstring("laws that these runs allow"));
  CHECK_FALSE(model().contains("laws"));
}

TEST_CASE_METHOD(RivalLawsTest, "the run that tells laws apart is the next, without a space",
                 "[cli][laws][suggest]") {
  fit(kSlowGrowth);
  const nlohmann::json first =
      run({"suggest", "model.json", "--next", "1", "--format", "json"}).json();
  const double value = first["next"][0]["configuration"]["gpus"];
  CHECK((value == 24 || value == 48));
  // Without --next, it is the runs that are ranked.
  CHECK(run({"suggest", "model.json", "--format", "json"}).json()["complete"] == true);
}

TEST_CASE_METHOD(RivalLawsTest, "no measured run is proposed again", "[cli][suggest]") {
  std::string csv = "batch,gpus,time_s\n";
  std::set<std::vector<double>> measured;
  for (const double batch : {16., 32., 64.})
    for (const double gpus : {1., 2., 4., 8.})
      if (batch != 32 || gpus != 4) {
        csv += csv_row(batch, gpus, batch / gpus + 3);
        measured.insert({batch, gpus});
      }
  fit(csv);
  const Words space = GENERATE(Words{}, Words{"runs.csv"});
  CAPTURE(space);
  Words command = {"suggest", "model.json", "--next", "1", "--format", "json"};
  command.insert(command.end(), space.begin(), space.end());
  const nlohmann::json said = run(command).json();
  CHECK(said["next"].size() == 1);
  for (const nlohmann::json& next : said["next"]) {
    CAPTURE(next);
    CHECK_FALSE(measured.contains({next["configuration"]["batch"], next["configuration"]["gpus"]}));
  }
  // What a plain fit leaves out cannot be proposed: a model without its runs needs a space.
  run({"fit", "runs.csv", "--coverage", "none", "-o", "model.json"}).succeeded();
  CHECK_THAT(run({"suggest", "model.json", "--next", "1"}).failed(2),
             ContainsSubstring("name SPACE.json or the runs, RUNS.csv"));
}

TEST_CASE_METHOD(RivalLawsTest, "what is proposed beyond the runs can exist", "[cli][suggest]") {
  const auto proposed = [&](const std::string& csv) {
    fit(csv);
    return run({"suggest", "model.json", "--next", "9", "--format", "json"}).json()["next"];
  };
  const nlohmann::json in_steps =
      proposed("nodes,gpus,time_s\n1,8,80\n2,16,42\n4,32,23\n8,64,13.5\n2,12,54\n1,4,150\n");
  REQUIRE_FALSE(in_steps.empty());
  for (const nlohmann::json& next : in_steps) {
    CAPTURE(next);
    const double gpus = next["configuration"]["gpus"];
    CHECK(next["configuration"]["nodes"] == std::ceil(gpus / 8));
  }
  // 16 times as many GPUs would take 97 / 4 steps.
  std::string csv = "gpus,steps,time_s\n";
  for (const double gpus : {1., 2., 4., 8., 16.})
    csv += csv_row(gpus, std::floor(1562 / gpus), 1562 / gpus * 0.1 + 3 + gpus / 10);
  for (const nlohmann::json& next : proposed(csv)) {
    CAPTURE(next);
    const double steps = next["configuration"].value("steps", 1.);
    CHECK(steps == std::round(steps));
  }
  CHECK_THAT(run({"suggest", "model.json", "--next", "1", "--runs", "runs.csv"}).failed(2),
             ContainsSubstring("--runs and --among go with a space"));
}
