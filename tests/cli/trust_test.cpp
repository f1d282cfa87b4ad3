#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// The sample runs with 5 % of noise, each configuration run twice.
std::string noisy_runs_twice() {
  perfmodel::RandomStream random(1, "noisy runs");
  const auto lines = lines_of(sample_runs());
  std::string text = lines[0] + "\n";
  for (std::size_t row = 1; row < lines.size(); ++row) {
    const auto comma = lines[row].rfind(',');
    const double time = std::stod(lines[row].substr(comma + 1));
    for (int run = 0; run < 2; ++run)
      text += csv_row(lines[row].substr(0, comma), time * (1 + 0.05 * random.normal()));
  }
  return text;
}

/// 2e-4 filters^1.5 batch_size / gpus {relu: 1, tanh: 1.5} + 0.02 filters^0.3 gpus^0.5, with 3 % of
/// noise.
std::string runs_of_two_products() {
  perfmodel::RandomStream random(1, "runs of two products");
  std::string text = "filters,activation,gpus,batch_size,time_s\n";
  for (int row = 0; row < 160; ++row) {
    const double width = std::exp2(2.0 + static_cast<double>(random.below(5)));
    const double gpus = std::exp2(static_cast<double>(random.below(4)));
    const double batch = std::exp2(3.0 + static_cast<double>(random.below(5)));
    const bool tanh = random.below(2) == 1;
    const double time = 2e-4 * std::pow(width, 1.5) * batch / gpus * (tanh ? 1.5 : 1) +
                        0.02 * std::pow(width, 0.3) * std::sqrt(gpus);
    text += csv_row(width, tanh ? "tanh" : "relu", gpus, batch,
                    time * std::exp(0.03 * random.normal()));
  }
  return text;
}

class TrustTest : public SampleRunsTest {
 public:
  TrustTest() {
    write("twice.csv", noisy_runs_twice());
    write("model.json", sample_model());
  }
};

}  // namespace

TEST_CASE_METHOD(TrustTest, "a model says of each constant whether the runs determine it",
                 "[cli]") {
  const ProgramResult result = run({"fit", "runs.csv"});
  const nlohmann::json constants = result.json()["constants"];
  CHECK(constants["intrinsic"][0]["a_identified"] == true);
  CHECK(constants["intrinsic"][0]["p_identified"] == true);
  CHECK(constants["extrinsic"][0]["q_identified"] == true);
  CHECK(constants["C_identified"] == true);
  const nlohmann::json& activation = constants["categorical"][0];
  CHECK(activation["reference"] == "relu");
  CHECK(activation["levels"][0]["difference"] == 0);
  CHECK(activation["levels"][1]["identified"] == true);
  CHECK(activation["levels"][1]["difference"].get<double>() == Catch::Approx(0.3).epsilon(1e-2));
  CHECK(activation["levels"][1]["difference_identified"] == true);
  // Constants that are not to be quoted are marked.
  CHECK_THAT(result.errors, !ContainsSubstring("at a bound"));
  CHECK_THAT(run({"fit", "runs.csv", "--expression", "generic", "--bounds", "q=-0.1:5"}).errors,
             ContainsSubstring("-0.1*") && ContainsSubstring("* at a bound"));
  // Without replicated runs and a bootstrap there is nothing to say of these.
  CHECK(result.json()["uncertainty"].is_null());
  CHECK(result.json()["noise_floor"].is_null());
}

TEST_CASE_METHOD(TrustTest, "fit --bootstrap gives intervals", "[cli]") {
  const Words command = {"fit", "twice.csv", "--bootstrap", "40"};
  const ProgramResult result = run(command).succeeded();
  CHECK_THAT(result.errors, ContainsSubstring("40 bootstrap samples"));
  const nlohmann::json uncertainty = result.json()["uncertainty"];
  CHECK(uncertainty["method"] == "bootstrap");
  CHECK(uncertainty["resampled"] == "rows");
  CHECK(uncertainty["samples"] == 40);
  CHECK(uncertainty["confidence"] == 0.95);
  const nlohmann::json power = uncertainty["constants"][4];
  CHECK(power["name"] == "q[workers]");
  CHECK(power["identified"] == true);
  CHECK(power["low"] < power["high"]);
  CHECK(uncertainty["level_differences"][1]["name"] == "activation=tanh - relu");

  const nlohmann::json narrow = run(command, {"--coverage", "0.5"}).json()["uncertainty"];
  CHECK(narrow["confidence"] == 0.5);
  CHECK(narrow["constants"][4]["low"] > power["low"]);
  CHECK(narrow["constants"][4]["high"] < power["high"]);
  CHECK(run({"fit", "runs.csv", "--bootstrap", "5"}).exit_code == 2);
}

TEST_CASE_METHOD(TrustTest,
                 "a sum of products has intervals and says what is determined, and what is not",
                 "[cli]") {
  write("products.csv", runs_of_two_products());
  const Words command = {
      "fit", "products.csv", "--expression", "multi", "--terms", "2", "--bootstrap", "40"};
  const ProgramResult result = run(command).succeeded();
  for (const char* words : {"40 bootstrap samples", "local power of gpus", "p[1,filters]"})
    CHECK_THAT(result.errors, ContainsSubstring(words));
  const nlohmann::json model = result.json();
  const nlohmann::json& constants = model["constants"];
  const nlohmann::json& term = constants["terms"][0];
  CHECK(term["p_identified"]["filters"] == true);
  CHECK(term["q_identified"]["gpus"] == true);
  CHECK(term["levels_identified"]["activation"]["tanh"] == true);
  CHECK(term["a_identified"].is_boolean());
  CHECK(term["regime_factors_identified"].empty());
  CHECK(constants["C_identified"].is_boolean());
  CHECK(constants["extrinsic"][0]["scaling_power_identified"] == true);
  const nlohmann::json& uncertainty = model["uncertainty"];
  CHECK(uncertainty["samples"] == 40);
  CHECK(uncertainty["level_differences"].empty());
  const nlohmann::json& power = uncertainty["constants"][1];
  CHECK(power["name"] == "p[1,filters]");
  CHECK(power["identified"] == true);
  CHECK(power["low"] < 1.5);
  CHECK(power["high"] > 1.5);
  const nlohmann::json& scaling = uncertainty["scaling_powers"][0];
  CHECK(scaling["name"] == "gpus");
  CHECK(scaling["identified"] == true);
  CHECK(scaling["low"] < model["scaling_powers"]["gpus"]);
  CHECK(scaling["high"] > model["scaling_powers"]["gpus"]);
  // The file is read back.
  write("products.json", result.output);
  CHECK(run({"predict", "products.json", "products.csv"}).exit_code == 0);
  // Of two more terms there is no trace in the runs.
  const std::string more =
      run({"fit", "products.csv", "--expression", "multi", "--terms", "4"}).succeeded().errors;
  for (const char* words : {"? not determined by these runs", "? * ", "not determined\n"})
    CHECK_THAT(more, ContainsSubstring(words));
}

TEST_CASE_METHOD(TrustTest, "a model with numbers as levels is read as fit wrote it", "[cli]") {
  for (const Words& form : {Words{}, Words{"--expression", "multi", "--terms", "1"}}) {
    run({"fit", "twice.csv", "-o", "model.json", "--categorical", "filters", "--bootstrap", "20"},
        form)
        .succeeded();
    const ProgramResult shown = run({"show", "model.json"}).succeeded();
    CHECK_THAT(shown.errors, !ContainsSubstring("warning"));
    CHECK_THAT(shown.output, ContainsSubstring("filters{4: "));
  }
}

TEST_CASE_METHOD(TrustTest, "replicated runs give a noise floor, repeated fits a spread", "[cli]") {
  const ProgramResult result = run({"fit", "twice.csv", "--repeats", "2"}).succeeded();
  CHECK_THAT(result.errors, ContainsSubstring("all 2 seeds end in the same optimum"));
  CHECK(occurrences(result.errors, "sd over seeds") == 0);
  CHECK_THAT(result.errors, ContainsSubstring("noise floor "));
  CHECK_THAT(result.errors, ContainsSubstring(" % from 96 replicated rows: at the noise floor"));
  const nlohmann::json floor = result.json()["noise_floor"];
  CHECK(floor["rows"] == 96);
  CHECK(floor["groups"] == 48);
  // sqrt(2 / pi) 5 %, give or take 15 % of it with 48 pairs.
  CHECK(floor["mape_percent"].get<double>() == Catch::Approx(4.0).epsilon(0.3));
}

TEST_CASE_METHOD(TrustTest, "evaluate lists the runs that stand farthest from the model", "[cli]") {
  write("more.csv",
        "filters,activation,workers,time_s\n4,relu,2,4.25\n4,tanh,2,4.6\n"
        "4,tanh,2,4.5\n4,relu,2,4.3\n4,relu,2,9\n");
  const Words command = {"evaluate", "model.json", "more.csv", "--outliers", "2"};
  const ProgramResult result = run(command).succeeded();
  CHECK_THAT(result.output, ContainsSubstring("\n   6             9           4.25"));
  const nlohmann::json document = run(command, {"--format", "json"}).json();
  REQUIRE(document["outliers"].size() == 2);
  CHECK(document["outliers"][0]["line"] == 6);
  CHECK(document["outliers"][0]["measured"] == 9);
  CHECK(document["outliers"][0]["predicted"] == 4.25);
  CHECK(document["outliers"][0]["robust_z"] > 3.5);
  CHECK(document["noise_floor"]["groups"] == 2);
  CHECK(run(command, {"--format", "csv"}).errors ==
        "perfmodel: error: --outliers cannot be combined with --format csv: list them in another "
        "format\n"
        "See 'perfmodel evaluate --help'.\n");
}

namespace {

/// (0.5 + 0.1 n / gpus) `factor`, each configuration twice, with 1 % of noise.
std::string runs_at_speed(double factor, const std::string& stream) {
  perfmodel::RandomStream random(1, stream);
  std::string text = "n,gpus,time_s\n";
  for (const double n : {10, 20, 40, 80, 160})
    for (const double gpus : {1, 2, 4, 8})
      for (int run = 0; run < 2; ++run)
        text += csv_row(n, gpus, factor * (0.5 + 0.1 * n / gpus) * (1 + 0.01 * random.normal()));
  return text;
}

}  // namespace

TEST_CASE_METHOD(TrustTest, "runs that are all slower have a bias, whatever the shape",
                 "[cli][report]") {
  write("then.csv", runs_at_speed(1, "then"));
  write("now.csv", runs_at_speed(1.1, "now"));
  run({"fit", "then.csv", "--expression", "multi", "-o", "then.json"}).succeeded();
  const ProgramResult result = run({"evaluate", "then.json", "now.csv"});
  INFO(result.output);
  // The median of 40 ratios with 1 % of noise is within 0.6 % of 10 %.
  CHECK_THAT(result.output,
             ContainsSubstring("bias: runs take 10.") || ContainsSubstring("bias: runs take 9."));
  CHECK_THAT(result.output, ContainsSubstring(" % longer than predicted (95 % interval "));
  CHECK_THAT(result.output, ContainsSubstring("replicated rows: the bias limits it"));
  CHECK_THAT(result.output, !ContainsSubstring("the shape limits it"));
  const nlohmann::json document =
      run({"evaluate", "then.json", "now.csv", "--format", "json"}).json();
  CHECK(document["bias_interval"]["lower"] > 8);
  CHECK(document["bias_interval"]["upper"] < 12);
  for (const char* format : {"md", "html"}) {
    const std::string page = run({"report", "then.json", "now.csv", "--format", format}).output;
    CHECK_THAT(page, ContainsSubstring(" % longer than predicted (95 % interval "));
    CHECK_THAT(page, !ContainsSubstring("the shape limits it"));
  }
}

TEST_CASE_METHOD(TrustTest, "a page knows the runs of the fit in any order, file and column order",
                 "[cli][report]") {
  const std::string runs = runs_at_speed(1, "then");
  write("then.csv", runs);
  run({"fit", "then.csv", "--expression", "auto", "-o", "auto.json"}).succeeded();
  const auto lines = lines_of(runs);
  std::string turned = lines[0] + ",note\n";
  for (std::size_t row = lines.size(); --row > 0;)
    turned += lines[row] + ",x\n";
  write("again.csv", turned);
  write("others.csv", runs_at_speed(1, "others"));
  const auto page = [&](const std::string& name) {
    return run({"report", "auto.json", name, "--format", "md"}).output;
  };
  const std::string known = ", which the model was fitted to";
  CHECK_THAT(page("then.csv"), ContainsSubstring(known));
  CHECK_THAT(page("again.csv"),
             ContainsSubstring(known) && ContainsSubstring("off\n- on runs held out at random"));
  CHECK_THAT(page("others.csv"), !ContainsSubstring(known));
  // The headline is the figure of the terminal and of model.json.
  const nlohmann::json model = json("auto.json");
  for (const auto& form : model["search"]["form"]["held_out"])
    if (form["form"] == (model["expression"]["form"] == "process" ? "process" : "multi"))
      CHECK_THAT(
          page("again.csv"),
          ContainsSubstring("**How far can it be trusted?** " +
                            perfmodel::percent(100 * form["random"].get<double>()) + " off"));
}

TEST_CASE_METHOD(TrustTest, "predictions of a model with no more rows than constants are marked",
                 "[cli][report]") {
  write("few.csv", "n,m,gpus,time_s\n10,1,1,1\n20,2,2,1.6\n40,3,1,3.9\n80,1,4,2.6\n160,2,2,8.5\n");
  run({"fit", "few.csv", "-o", "few.json"}).succeeded();
  const std::string words = "5 training rows cannot determine 6 constants";
  CHECK_THAT(run({"predict", "few.json", "--set", "n=40"}).succeeded().errors,
             ContainsSubstring(words) && ContainsSubstring(": the predictions are not determined"));
  CHECK_THAT(run({"predict", "few.json", "few.csv"}).errors, ContainsSubstring(words));
  CHECK_THAT(run({"scaling", "few.json"}).errors, ContainsSubstring(words));
  const auto predict = [&](const std::string& model, const std::string& format) {
    return run({"predict", model, "--set", "n=40,80", "--format", format}).output;
  };
  CHECK_THAT(predict("few.json", "text"), ContainsSubstring("not determined"));
  CHECK(nlohmann::json::parse(predict("few.json", "json"))["determined"] == false);
  const std::string page = run({"report", "few.json", "few.csv"}).output;
  CHECK_THAT(page, ContainsSubstring("not determined: " + words) &&
                       ContainsSubstring("doubts: [\"not determined: " + words));
  CHECK_THAT(page, !ContainsSubstring("0.0 % off"));
  // Enough runs: no mark.
  write("then.csv", runs_at_speed(1, "then"));
  run({"fit", "then.csv", "-o", "then.json"}).succeeded();
  CHECK_THAT(predict("then.json", "text"), !ContainsSubstring("not determined"));
  CHECK_FALSE(nlohmann::json::parse(predict("then.json", "json")).contains("determined"));
}

TEST_CASE_METHOD(TrustTest, "effects of Eq. (4) have no intervals where its form is bad", "[cli]") {
  write("products.csv", runs_of_two_products());
  const ProgramResult bad = run({"fit", "products.csv"});
  CHECK_THAT(bad.errors, ContainsSubstring("another form may fit"));
  const nlohmann::json of_bad = bad.json()["effects"];
  for (const auto& effect : of_bad) {
    CHECK_FALSE(effect.contains("determined"));
    CHECK_FALSE(effect.contains("low"));
  }
  const nlohmann::json effects = model_of({"twice.csv"})["effects"];
  for (const auto& effect : effects)
    CHECK(effect.contains("determined"));
}
