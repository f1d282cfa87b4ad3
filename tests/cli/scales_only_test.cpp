#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// t = 3.5 gpus^-0.8 batch_size^0.6 + 2, and `wobble` of it more or less in turn.
std::string scale_runs(double wobble) {
  std::string csv = "gpus,batch_size,time_s\n";
  double sign = 1;
  for (const double gpus : {1., 2., 4., 8., 16.}) {
    for (const double batch : {16., 32., 64., 128.}) {
      const double time = 3.5 * std::pow(gpus, -0.8) * std::pow(batch, 0.6) + 2;
      csv += csv_row(gpus, batch, time * (1 + sign * wobble));
      sign = -sign;
    }
  }
  return csv;
}

class ScalesOnlyTest : public ProgramTest {
 public:
  ScalesOnlyTest() {
    write("exact.csv", scale_runs(0));
    write("noisy.csv", scale_runs(0.01));
  }
  double predicted(const std::string& gpus, const std::string& batch_size) const {
    return run({"predict", "model.json", "--json", "--set", "gpus=" + gpus,
                "batch_size=" + batch_size})
        .json()["predicted_time_s"];
  }
};

}  // namespace

TEST_CASE_METHOD(ScalesOnlyTest, "a file whose columns are all scales is fitted without a flag",
                 "[cli][scales-only]") {
  CHECK_THAT(run({"fit", "exact.csv", "-o", "model.json"}).succeeded().errors,
             ContainsSubstring("\n  a        3.5   "));
  const nlohmann::json found = model();
  CHECK(found["expression"]["formula"] == "t = a * gpus^q_gpus * batch_size^q_batch_size + C");
  const nlohmann::json& constants = found["constants"];
  CHECK(constants["intrinsic"].empty());
  CHECK(constants["categorical"].empty());
  CHECK(constants["a"].get<double>() == Approx(3.5).epsilon(1e-6));
  CHECK(constants["a_identified"] == true);
  CHECK(constants["extrinsic"][0]["q"].get<double>() == Approx(-0.8).epsilon(1e-6));
  CHECK(constants["extrinsic"][1]["q"].get<double>() == Approx(0.6).epsilon(1e-6));
  CHECK(constants["C"].get<double>() == Approx(2).epsilon(1e-6));
  CHECK(found["warnings"].empty());
}

TEST_CASE_METHOD(ScalesOnlyTest, "its model is written, read and shown as one formula",
                 "[cli][scales-only]") {
  const std::string loss = GENERATE("mae", "mape", "mse", "rmsle");
  run({"fit", "noisy.csv", "-o", "model.json", "--loss", loss}).succeeded();
  const nlohmann::json constants = model()["constants"];
  const auto time_at = [&](double gpus, double batch) {
    return constants["a"].get<double>() *
               std::pow(gpus, constants["extrinsic"][0]["q"].get<double>()) *
               std::pow(batch, constants["extrinsic"][1]["q"].get<double>()) +
           constants["C"].get<double>();
  };
  CHECK(predicted("3", "48") == Approx(time_at(3, 48)).epsilon(1e-12));
  CHECK(predicted("12", "100") == Approx(time_at(12, 100)).epsilon(1e-12));
  // Near the truth, so that it is the runs' model and not only its own.
  CHECK(predicted("3", "48") ==
        Approx(3.5 * std::pow(3, -0.8) * std::pow(48, 0.6) + 2).epsilon(0.02));

  const auto shown = [&](const std::string& language) {
    return run({"show", "model.json", "--as", language}).succeeded().output;
  };
  CHECK(shown("text").substr(0, 4) == "t = ");
  CHECK_THAT(shown("text"), !ContainsSubstring("("));
  CHECK_THAT(shown("latex"), !ContainsSubstring("\\left("));
  CHECK_THAT(shown("spreadsheet"), ContainsSubstring("gpus"));
}

TEST_CASE_METHOD(ScalesOnlyTest, "every command handles a model of scales alone",
                 "[cli][scales-only]") {
  run({"fit", "noisy.csv", "-o", "model.json", "--bootstrap", "40", "--folds", "4", "--coverage",
       "0.9", "--l1", "0.0001"})
      .succeeded();
  const nlohmann::json found = model();
  CHECK(found["cross_validation"]["folds"] == 4);
  CHECK_THAT(found["uncertainty"].dump(), ContainsSubstring("\"a\""));
  CHECK_THAT(run({"evaluate", "model.json", "noisy.csv"}).succeeded().output,
             ContainsSubstring("in 90 % interval"));
  CHECK_THAT(run({"report", "model.json", "noisy.csv"}).succeeded().output,
             ContainsSubstring("gpus"));
  run({"scaling", "model.json", "--column", "gpus", "--set", "batch_size=32"}).succeeded();
  write("space.json", space_of(R"({"column": "gpus", "values": [1, 2, 4, 8, 16]},
                                  {"column": "batch_size", "values": [16, 32, 64, 128]})",
                               R"(, "extrinsic": ["gpus", "batch_size"])"));
  const std::string plan =
      run({"plan", "space.json", "-n", "6", "--method", "d-optimal"}).succeeded().output;
  CHECK(std::count(plan.begin(), plan.end(), '\n') == 7);
  const std::string next =
      run({"suggest", "model.json", "space.json", "--next", "2"}).succeeded().output;
  CHECK_THAT(next, ContainsSubstring("gpus"));
  CHECK(next.find("nan") == std::string::npos);
}

TEST_CASE_METHOD(ScalesOnlyTest, "a sum of products needs no intrinsic column",
                 "[cli][scales-only]") {
  const std::string terms = GENERATE("1", "auto");
  run({"fit", "exact.csv", "-o", "model.json", "--expression", "multi", "--terms", terms})
      .succeeded();
  CHECK(predicted("3", "48") ==
        Approx(3.5 * std::pow(3, -0.8) * std::pow(48, 0.6) + 2).epsilon(0.001));
}

TEST_CASE_METHOD(ScalesOnlyTest, "scales alone are left by --intrinsic none",
                 "[cli][scales-only]") {
  write("more.csv", "layers,gpus,time_s\n1,1,8\n2,1,8\n3,2,5\n4,2,5\n5,4,3.5\n6,4,3.5\n");
  run({"fit", "more.csv", "-o", "model.json", "--intrinsic", "none"}).succeeded();
  const nlohmann::json constants = model()["constants"];
  CHECK(constants["a"].get<double>() == Approx(6).epsilon(1e-6));
  CHECK(constants["extrinsic"][0]["q"].get<double>() == Approx(-1).epsilon(1e-6));

  CHECK(
      run({"fit", "more.csv", "--intrinsic", "none", "--extrinsic", "none"}).failed(3) ==
      error_prefix +
          "more.csv: no column that varies is left but the time, so there is nothing to model; add "
          "columns that say in what the runs differ\n");
}

TEST_CASE_METHOD(ScalesOnlyTest, "a coefficient that cannot be told from C is reported as such",
                 "[cli][scales-only]") {
  write("two.csv", "gpus,time_s\n1,8\n1,8\n2,5\n2,5\n1,8\n2,5\n");
  run({"fit", "two.csv", "-o", "model.json"}).succeeded();
  const nlohmann::json found = model();
  CHECK(found["constants"]["a_identified"] == false);
  CHECK_THAT(found["warnings"].dump(),
             ContainsSubstring("the constants of 'gpus' are not determined one by one, only "
                               "together with C"));
}
