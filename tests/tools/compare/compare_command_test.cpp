#include <algorithm>
#include <string>
#include <vector>

#include "compare/comparison.hpp"
#include "support/program_fixture.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

class CompareTest : public SampleRunsTest {
 public:
  CompareTest() { write("other.csv", sample_runs()); }
  ProgramResult run(const Words& arguments) const {
    return ProgramTest::run({"compare"}, arguments);
  }
};

std::size_t models_per_file() {
  return 6U + (perfmodel::has_black_boxes() ? 3U : 0U) +
         (perfmodel::has_gradient_boosting() ? 1U : 0U);
}

}  // namespace

TEST_CASE_METHOD(CompareTest, "compare judges every model on the same rows") {
  const nlohmann::json document = run({"runs.csv", "--format", "json"}).json();
  CHECK(document["schema"] == "perfmodel/comparison");
  CHECK(document["schema_version"] == 1);
  CHECK(document["data"][0]["file"] == "runs.csv");
  CHECK(document["black_boxes"] == perfmodel::has_black_boxes());
  REQUIRE(document["models"].size() == models_per_file());
  for (const nlohmann::json& model : document["models"]) {
    CHECK(model["metrics"]["train"]["rows"] == 29);
    CHECK(model["metrics"]["validation"]["rows"] == 10);
    CHECK(model["metrics"]["test"]["rows"] == 9);
    CHECK(model["fit_seconds"].get<double>() >= 0);
  }
  CHECK_THAT(document.dump(), ContainsSubstring(R"("name":"auto")"));
  const nlohmann::json& plain = document["models"][0];
  CHECK(plain["name"] == "Eq. (4)");
  CHECK(plain["metrics"]["test"]["mape_percent"].get<double>() < 0.1);
  CHECK(plain["scaling_powers"]["workers"].get<double>() == Catch::Approx(-0.5).epsilon(1e-3));
}

TEST_CASE_METHOD(CompareTest, "compare sets several files side by side", "[whole-fits]") {
  const ProgramResult text = run({"runs.csv", "other.csv", "--split", "80:20"}).succeeded();
  CHECK_THAT(text.output, ContainsSubstring("runs.csv (test part, 10 rows)"));
  CHECK_THAT(text.output, ContainsSubstring("other.csv (test part, 10 rows)"));
  CHECK_THAT(text.output, ContainsSubstring("column   model                runs.csv  other.csv"));
  CHECK_THAT(text.output,
             ContainsSubstring("scaling powers q (of Eq. (4): of the part that scales, "
                               "without C; of the others: of the whole time"));
  const std::string csv = run({"runs.csv", "other.csv", "--format", "csv"}).output;
  CHECK(
      csv.starts_with("file,model,part,rows,mae,mape_percent,smape_percent,mse,rmse,r2,"
                      "fit_seconds\nruns.csv,Eq. (4),train,29,"));
  CHECK(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) ==
        1 + 2 * 3 * models_per_file());
  // The unit is that of the largest error: without dlib there are only small ones.
  const char* const unit = models_per_file() > 6 ? "s" : "ms";
  CHECK_THAT(run({"runs.csv", "--format", "md"}).output,
             ContainsSubstring(std::string("| model | MAPE | MAE [") + unit + "] | RMSE [" + unit +
                               "] | R2 | train MAPE | fit [s] |"));
}

TEST_CASE_METHOD(CompareTest, "compare extrapolates a column") {
  const ProgramResult result =
      run({"runs.csv", "--extrapolate", "workers:2", "--format", "json"}).succeeded();
  CHECK_THAT(result.errors,
             ContainsSubstring("runs.csv: rows with workers up to 2 train, the others test"));
  const nlohmann::json document = result.json();
  CHECK(document["models"][0]["metrics"]["train"]["rows"] == 24);
  CHECK(document["models"][0]["metrics"]["test"]["rows"] == 24);
  CHECK(document["models"][0]["metrics"]["test"]["mape_percent"].get<double>() < 1);
}

TEST_CASE_METHOD(CompareTest, "compare takes one way to name the test rows") {
  CHECK(run({"runs.csv", "--extrapolate", "workers", "--split", "80:20"}).failed(2) ==
        "perfmodel: error: --extrapolate cannot be combined with --split: choose one of --split, "
        "--test and "
        "--extrapolate\nSee 'perfmodel compare --help'.\n");
  CHECK_THAT(run({"runs.csv", "runs.csv"}).failed(2),
             ContainsSubstring("'runs.csv' is given twice"));
}

TEST_CASE_METHOD(CompareTest, "compare accepts gates on one model and on the best of all") {
  // Eq. (4) made these runs, so it is exact; with a large L1 penalty it is not.
  const ProgramResult result = run({"runs.csv", "--l1", "1", "--fail-if", "generic_l1.mape>9",
                                    "--fail-if", "mape>0.1", "--fail-if", "r2<0.99"});
  CHECK(result.exit_code == 4);
  CHECK_FALSE(result.output.empty());
  CHECK_THAT(result.errors,
             ContainsSubstring("--fail-if 'generic_l1.mape>9' holds on Eq. (4), L1 1, "
                               "runs.csv: generic_l1.mape is "));
  CHECK_THAT(result.errors, !ContainsSubstring("'mape>0.1'"));
  CHECK_THAT(run({"runs.csv", "--fail-if", "tree.mape>1"}).failed(2),
             ContainsSubstring("of one model: generic., generic_l1., generic_l2., "
                               "multi., process., auto., forest., boosting., svr. or svr_log."));
}
