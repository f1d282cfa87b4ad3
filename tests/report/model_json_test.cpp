#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/model.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/sample_runs.hpp"
#include "support/temporary_directory.hpp"
#include "table/expressions.hpp"

using namespace perfmodel;

namespace {

FittedModel read_back(const std::string& text) {
  const test::TemporaryDirectory directory;
  return read_model(directory.write("model.json", text));
}

FittedModel sample() {
  return read_back(test::sample_model());
}

/// The model as it is read from its file, which is written as the same bytes again.
FittedModel written_and_read(const FittedModel& model) {
  FittedModel again = read_back(to_json(model));
  CHECK(to_json(again) == to_json(model));
  return again;
}

}  // namespace

TEST_CASE("a model is read with every field and written as the same bytes", "[io]") {
  const FittedModel model = sample();
  CHECK(to_json(model) == test::sample_model());
  CHECK(model.spec.target == "time_s");
  CHECK(model.spec.unit == "s");
  CHECK(model.spec.intrinsic.at(0).column == "filters");
  CHECK(model.spec.intrinsic.at(0).high == 8);
  CHECK(model.spec.categorical.at(0).levels == std::vector<std::string>{"relu", "tanh"});
  CHECK(model.spec.extrinsic.at(0).column == "workers");
  const Eq4Layout layout(model.spec);
  REQUIRE(static_cast<std::size_t>(model.constants.size()) == layout.size());
  const std::vector<double> expected = {0.5, 0.25, 0.75, 2, -1, 0.125};
  CHECK(std::vector<double>(model.constants.begin(), model.constants.end()) == expected);
  CHECK(model.search.seed == std::numeric_limits<std::uint64_t>::max());
  CHECK(model.search.objective.penalty.l2 == 0.001);
  CHECK(model.warnings.at(0).message == "few rows, \"quoted\" é");
}

TEST_CASE("constants keep all their digits", "[io]") {
  for (const double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 12345678901234567890.0,
                             1e22, -2.5, -0.0, 0.30000000000000004}) {
    FittedModel model = sample();
    model.constants[0] = value;
    CHECK(written_and_read(model).constants[0] == value);
  }
}

TEST_CASE("effects and the correction of a process survive writing and reading", "[io]") {
  FittedModel model = sample();
  Effect filters{.column = "filters", .from = 4., .to = 8.5, .ratio = 1.5};
  filters.interval = Interval{0.9, 2.5};
  filters.measured = false;
  filters.over_runs = Interval{1.1, 2.25};
  filters.most_at = "small batch_size";
  model.known.effects = {filters,
                         {.column = "activation", .from = "relu", .to = "tanh", .ratio = 1.25}};
  model.known.correction = 0.03;
  const FittedModel again = written_and_read(model);
  REQUIRE(again.known.effects.size() == 2);
  CHECK(again.known.effects[0].from == InputValue(4.));
  CHECK(again.known.effects[0].to == InputValue(8.5));
  CHECK(again.known.effects[0].ratio == 1.5);
  CHECK(again.known.effects[0].interval.value().low == 0.9);
  CHECK(again.known.effects[0].interval.value().high == 2.5);
  CHECK_FALSE(again.known.effects[0].is_determined());
  CHECK_FALSE(again.known.effects[0].measured);
  CHECK(again.known.effects[0].over_runs.value().low == 1.1);
  CHECK(again.known.effects[0].over_runs.value().high == 2.25);
  CHECK(again.known.effects[0].most_at == "small batch_size");
  CHECK_FALSE(again.known.effects[1].over_runs);
  CHECK(again.known.effects[1].from == InputValue("relu"));
  CHECK(again.known.effects[1].to == InputValue("tanh"));
  CHECK_FALSE(again.known.effects[1].interval);
  CHECK(again.known.effects[1].measured);
  CHECK(again.known.correction == 0.03);
  const nlohmann::json written = nlohmann::json::parse(to_json(model));
  CHECK(written["effects"][0]["determined"] == false);
  CHECK_FALSE(written["effects"][1].contains("determined"));
}

TEST_CASE("an undefined r2 is null, and nothing else may be", "[io]") {
  FittedModel model = sample();
  model.known.metrics.train.r2 = std::nan("");
  CHECK(std::isnan(written_and_read(model).known.metrics.train.r2));

  model = sample();
  model.constants[0] = std::nan("");
  CHECK_THROWS_AS(to_json(model), InputError);
  model = sample();
  model.search.cost = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(to_json(model), InputError);
}

TEST_CASE("levels of a file edited by hand may stand in any order", "[io]") {
  std::string text = test::sample_model();
  const std::string ordered = R"({"level": "relu", "a": 0.25}, {"level": "tanh", "a": 0.75})";
  text.replace(text.find(ordered), ordered.size(),
               R"({"level": "tanh", "a": 0.75}, {"level": "relu", "a": 0.25})");
  CHECK(to_json(read_back(text)) == test::sample_model());
}

TEST_CASE("levels that are numbers stand in the order of their values", "[io]") {
  using Document = nlohmann::json;
  Document model = Document::parse(test::sample_model());
  model["constants"]["intrinsic"][0].update({{"a_identified", true}, {"p_identified", true}});
  Document& column = model["constants"]["categorical"][0];
  column["reference"] = "8";
  column["levels"] = Document::array();
  for (const int level : {16, 8, 128}) {
    column["levels"].push_back({{"level", std::to_string(level)},
                                {"a", level},
                                {"identified", level == 16},
                                {"difference", level - 8},
                                {"difference_identified", level == 128}});
  }
  model["constants"]["extrinsic"][0]["q_identified"] = true;
  model["constants"]["C_identified"] = true;
  const FittedModel read = read_back(model.dump());
  CHECK(read.spec.categorical.at(0).levels == std::vector<std::string>{"8", "16", "128"});
  const Eigen::VectorXd& constants = read.constants;  // a[filters] | levels | p | q | C
  CHECK(std::vector<double>(constants.begin() + 1, constants.begin() + 4) ==
        std::vector<double>{8, 16, 128});
  REQUIRE(read.known.identifiability);
  CHECK(read.known.identifiability->constants ==
        std::vector<bool>{true, false, true, false, true, true, true});
  CHECK(read.known.identifiability->differences == std::vector<bool>{false, false, true});
}

TEST_CASE("repeated fits and a model that was not searched for survive writing and reading") {
  FittedModel model = sample();
  model.known.repeats = RepeatSummary{.fits = 2,
                                      .seeds = {{1, 0.5}, {2, 0.25}},
                                      .constants = {{"C", 0.125, 0.01}},
                                      .scaling_powers = {{"workers", -1, 0}},
                                      .train = {{"mae", 1, 0.5}},
                                      .validation = {},
                                      .test = {}};
  model.search = {};
  model.known.metrics = {};
  const FittedModel again = written_and_read(model);
  REQUIRE(again.known.repeats);
  CHECK(again.known.repeats->seeds.at(1).cost == 0.25);
  CHECK(again.known.repeats->constants.at(0).standard_deviation == 0.01);
  CHECK(again.known.metrics.train.rows == 0);
}

TEST_CASE("the derived columns that a scaling power counts survive writing and reading", "[io]") {
  FittedModel model = sample();
  model.spec.derived = {make_derived("filters", "size * workers", "here")};
  model.spec.sources = {{"size", 3}};
  model.spec.extrinsic[0].low = 1;
  model.spec.extrinsic[0].high = 2.5;
  model.typical = Configuration{.intrinsic = {5}, .levels = {1}, .extrinsic = {2}};
  const FittedModel again = written_and_read(model);
  // From half a doubling below the typical 2 workers to the most that were measured.
  const auto scalable = [](double workers) {
    return (0.5 * std::pow(3 * workers, 2) + 0.75) / workers;
  };
  const double low = std::sqrt(2);
  const double expected = std::log(scalable(2.5) / scalable(low)) / std::log(2.5 / low);
  CHECK(scaling_powers(again).at(0) == Catch::Approx(expected).epsilon(1e-12));
  // A file that does not tell the typical size has the power of the column alone.
  FittedModel older = again;
  older.spec.sources.clear();
  CHECK_FALSE(power_through_derived(older, 0));
  CHECK(scaling_powers(older).at(0) == -1);
}

TEST_CASE("what the runs determine survives writing and reading") {
  FittedModel model = sample();
  model.known.identifiability =
      Identifiability{.constants = {true, false, false, true, false, true},
                      .differences = {true, false},
                      .scaling_powers = {}};
  model.known.noise_floor = NoiseFloor{.rows = 8, .groups = 3, .mape_percent = 7.5};
  model.known.uncertainty =
      Uncertainty{.resampling = Resampling::residuals,
                  .samples = 50,
                  .confidence = 0.9,
                  .constants = {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}},
                  .differences = {{0, 0}, {-1, 1}},
                  .scaling_powers = {}};
  const FittedModel again = written_and_read(model);
  const std::string text = to_json(model);
  REQUIRE(again.known.identifiability);
  CHECK(again.known.identifiability->constants == model.known.identifiability->constants);
  CHECK(again.known.identifiability->differences == model.known.identifiability->differences);
  REQUIRE(again.known.noise_floor);
  CHECK(again.known.noise_floor->groups == 3);
  REQUIRE(again.known.uncertainty);
  CHECK(again.known.uncertainty->constants.at(4).high == 6);
  CHECK(text.find(
            R"({"name": "activation=tanh - relu", "low": -1, "high": 1, "identified": false})") !=
        std::string::npos);

  std::string renamed = text;
  renamed.replace(renamed.find("\"q[workers]\""), 12, "\"q[nobody_]\"");
  CHECK_THROWS_WITH(read_back(renamed),
                    Catch::Matchers::EndsWith("/model.json: uncertainty.constants[4].name: "
                                              "'q[nobody_]' does not stand in the order of the "
                                              "constants"));
}

TEST_CASE("the record of how a form was chosen survives writing and reading", "[io]") {
  FittedModel model = sample();
  model.search.form = FormChoice{.given = true,
                                 .candidates = 7,
                                 .random_folds = 5,
                                 .extrapolation_folds = 2,
                                 .held_out = {{"generic", 0.5, std::nullopt}, {"multi", 0.25, 1}}};
  model.search.ridges = {0.125, 2};
  const FittedModel again = written_and_read(model);
  CHECK(again.search.ridges == model.search.ridges);
  REQUIRE(again.search.form);
  CHECK(again.search.form->given);
  CHECK(again.search.form->candidates == 7);
  CHECK_FALSE(again.search.form->held_out.at(0).extrapolation_folds);
  CHECK(again.search.form->held_out.at(1).extrapolation_folds == 1);
}
