#include <filesystem>
#include <fstream>

#include "forms/sum_form.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/sum_runs.hpp"

using namespace perfmodel;

namespace {

FittedModel read_text_of(const std::string& text) {
  const test::CsvFile file(text);
  return read_model(file.path());
}

FittedModel model_with_everything() {
  test::SumRuns runs = test::sum_runs(50, 0, 1);
  own_sum_form(runs.truth).structure.own_feature(1, 0).log_power = 2;
  runs.truth.known.metrics.train =
      compute_metrics(runs.design.time, predict(runs.truth, runs.design));
  runs.truth.known.identifiability = Identifiability{};
  runs.truth.known.uncertainty = Uncertainty{};
  Uncertainty& uncertainty = *runs.truth.known.uncertainty;
  uncertainty.samples = 200;
  for (Eigen::Index k = 0; k < runs.truth.constants.size(); ++k) {
    const double value = runs.truth.constants[k];
    runs.truth.known.identifiability->constants.push_back(k % 3 != 0);
    uncertainty.constants.push_back({value - 0.25, value + 0.5});
  }
  runs.truth.known.identifiability->scaling_powers = {true, false};
  uncertainty.scaling_powers = {{-0.5, 0.5}, {0.25, 0.75}};
  return runs.truth;
}

}  // namespace

TEST_CASE("a sum of products comes back from its file as it was", "[io][multi]") {
  const FittedModel model = model_with_everything();
  const std::string text = to_json(model);
  const FittedModel back = read_text_of(text);
  REQUIRE(back.form->name() == "multi");
  CHECK(sum_form(back).structure == sum_form(model).structure);
  CHECK(back.constants == model.constants);
  CHECK(scaling_powers(back) == scaling_powers(model));
  REQUIRE(back.known.identifiability);
  CHECK(back.known.identifiability->constants == model.known.identifiability->constants);
  CHECK(back.known.identifiability->scaling_powers == model.known.identifiability->scaling_powers);
  REQUIRE(back.known.uncertainty);
  CHECK(back.known.uncertainty->constants.at(3).high ==
        model.known.uncertainty->constants.at(3).high);
  CHECK(back.known.uncertainty->scaling_powers.at(1).low == 0.25);
  CHECK(to_json(back) == text);
}

TEST_CASE("other growths of a sum come back from its file", "[io][multi]") {
  FittedModel model = model_with_everything();
  SumStructure& structure = own_sum_form(model).structure;  // numeric: gpus, batch_size, filters
  structure.step_factors = {{2, 4}};
  structure.features = {{{.saturates = true}, {}, {.saturates = true}},
                        {{.log_power = 2}, {.clamp = 64}, {.log_power = 1, .clamp = 32}}};
  const std::string text = to_json(model);
  const FittedModel back = read_text_of(text);
  REQUIRE(back.form->name() == "multi");
  CHECK(sum_form(back).structure == structure);
  CHECK(to_json(back) == text);
}

TEST_CASE("a cap that is no number above 0, and a logarithm unknown to us, are refused",
          "[io][multi]") {
  FittedModel model = model_with_everything();
  std::string text = to_json(model);
  own_sum_form(model).structure.own_feature(0, 1).clamp = 0;
  CHECK_THROWS_WITH(read_text_of(to_json(model)),
                    Catch::Contains("constants.terms[0].caps.batch_size: expected a number > 0"));
  const auto at = text.find("\"log2_powers\": {\"gpus\": 2");
  REQUIRE(at != std::string::npos);
  text.replace(at, 25, "\"log2_powers\": {\"gpus\": 7");
  CHECK_THROWS_AS(read_text_of(text), InputError);
}

TEST_CASE("a sum of products of an earlier version does not say what is identified",
          "[io][multi]") {
  FittedModel model = model_with_everything();
  model.known.identifiability.reset();
  model.known.uncertainty.reset();
  const FittedModel back = read_text_of(to_json(model));
  CHECK_FALSE(back.known.identifiability);
  CHECK_FALSE(back.known.uncertainty);
}
