#include <algorithm>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

class SweepTest : public SampleRunsTest {
 public:
  ProgramResult run(const Words& arguments) const {
    return ProgramTest::run({"sweep", "runs.csv"}, arguments);
  }
};

}  // namespace

TEST_CASE_METHOD(SweepTest, "sweep writes metrics and constants of every lambda and the choice") {
  const nlohmann::json document = run({"--format", "json"}).json();
  CHECK(document["schema"] == "perfmodel/sweep");
  CHECK(document["schema_version"] == 1);
  REQUIRE(document["points"].size() == 19);
  CHECK(document["points"][0]["penalty"] == "none");
  CHECK(document["points"][1]["penalty"] == "l1");
  CHECK(document["points"][1]["lambda"] == 1e-6);
  CHECK(document["points"][18]["penalty"] == "l2");
  CHECK(document["points"][18]["lambda"] == 100);
  const nlohmann::json& first = document["points"][0];
  CHECK(first["constants"]["q[workers]"].get<double>() == Catch::Approx(-0.5).epsilon(1e-3));
  CHECK(first["metrics"]["validation"]["rows"] == 10);
  CHECK(first["metrics"]["test"]["rows"] == 9);
  // Runs without noise are met exactly up to a lambda of 0.01.
  const nlohmann::json& chosen = document["points"][document["chosen"]["index"].get<std::size_t>()];
  CHECK(chosen["penalty"] == document["chosen"]["penalty"]);
  CHECK(chosen["lambda"].get<double>() <= 0.01);
  CHECK(chosen["metrics"]["validation"]["mae"].get<double>() < 1e-9);
  CHECK(document["chosen"]["rule"] == "lowest");
}

TEST_CASE_METHOD(SweepTest, "sweep takes a grid, penalties and a form of the constants") {
  const ProgramResult csv = run({"--format", "csv", "--lambdas", "0.01:1:3", "--penalty", "l2",
                                 "--penalise", "scaled", "--one-standard-error"})
                                .succeeded();
  CHECK(csv.output.starts_with("penalty,lambda,chosen,cost,validation_loss,"));
  CHECK_THAT(csv.output, ContainsSubstring("\nl2,0.1,"));
  CHECK(std::count(csv.output.begin(), csv.output.end(), '\n') == 5);
  const ProgramResult text = run({"--lambdas", "1e-3:1"});
  CHECK_THAT(text.output, ContainsSubstring("<- chosen"));
  CHECK_THAT(text.errors, ContainsSubstring("chosen on the validation rows: "));
}

TEST_CASE_METHOD(SweepTest,
                 "the advice of a sweep is a call of fit that reads the runs as it did") {
  CHECK_THAT(run({"--lambdas", "0.1:1:2", "--penalty", "l2", "--penalise", "scaled", "--split",
                  "60:20:20", "--one-standard-error", "--format", "csv", "--throughput-target",
                  "time_s", "--work", "2 * workers", "--ignore", "activation"})
                 .succeeded()
                 .errors,
             ContainsSubstring("fit with it: perfmodel fit runs.csv --throughput-target=time_s "
                               "'--work=2 * workers' --ignore=activation --penalise=scaled --l2 "));
}

TEST_CASE_METHOD(SweepTest, "sweep needs validation rows and a sound grid") {
  CHECK_THAT(run({"--split", "80:20"}).failed(2),
             ContainsSubstring("lambda is chosen on validation rows"));
  for (const std::string grid : {"1", "1:0.1", "0:1", "1:2:x", "1:2:1", "1:2:3.5"}) {
    INFO(grid);
    CHECK_THAT(run({"--lambdas", grid}).failed(2),
               ContainsSubstring("write LOW:HIGH or LOW:HIGH:COUNT"));
  }
}
