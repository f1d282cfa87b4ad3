// What a model file says beside its constants must follow from them.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "perfmodel/model.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/message_of.hpp"
#include "support/sample_runs.hpp"
#include "support/sum_runs.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

namespace {

void read(const nlohmann::json& model) {
  const test::CsvFile file(model.dump());
  read_model(file.path());
}

std::string error_of_model(const nlohmann::json& model) {
  return test::message_of<InputError>([&] { read(model); });
}

nlohmann::json eq4_model() {
  nlohmann::json model = nlohmann::json::parse(test::sample_model());
  nlohmann::json& column = model["constants"]["categorical"][0];
  column["reference"] = "relu";
  column["levels"][0]["difference"] = 0;
  column["levels"][1]["difference"] = 0.5;
  return model;
}

nlohmann::json sum_model() {
  return nlohmann::json::parse(to_json(test::sum_runs(50, 0, 1).truth));
}

/// A change and what the message says of it.
struct Change {
  std::string place;
  nlohmann::json value;
  std::string message;
};

void check_refused(const nlohmann::json& model, const Change& change) {
  CAPTURE(change.place);
  nlohmann::json changed = model;
  REQUIRE(changed.contains(nlohmann::json::json_pointer(change.place)));
  changed[nlohmann::json::json_pointer(change.place)] = change.value;
  CHECK_THAT(error_of_model(changed), ContainsSubstring(change.message));
}

void check_refused(const nlohmann::json& model, const std::vector<Change>& changes) {
  REQUIRE_NOTHROW(read(model));
  for (const Change& change : changes) {
    check_refused(model, change);
    const auto parent = nlohmann::json::json_pointer(change.place).parent_pointer();
    nlohmann::json without = model;
    without[parent].erase(nlohmann::json::json_pointer(change.place).back());
    CHECK_NOTHROW(read(without));
  }
}

}  // namespace

TEST_CASE("fields of Eq. (4) that contradict its constants are refused", "[io]") {
  const std::string end = "; correct the one that is wrong, or remove this field";
  check_refused(
      eq4_model(),
      {{"/expression/formula", "t = a_filters + C",
        ": expression.formula: \"t = a_filters + C\" contradicts the constants, which give \"t = "
        "(a_filters*filters^p_filters + a_activation) * workers^q\"..." +
            end},
       {"/scaling_powers/workers", -0.5,
        ": scaling_powers.workers: -0.5 contradicts the constants, which give -1" + end},
       {"/constants/categorical/0/levels/1/difference", 0.75,
        ": constants.categorical[0].levels[1].difference: 0.75 contradicts the constants, which "
        "give 0.5" +
            end},
       {"/constants/categorical/0/reference", "tanh",
        ": constants.categorical[0].reference: 'tanh' is not the first level, 'relu'" + end}});
}

TEST_CASE(
    "a constant that was changed alone is found out, last digits of another processor are "
    "no contradiction",
    "[io]") {
  nlohmann::json model = eq4_model();
  model["constants"]["extrinsic"][0]["q"] = -0.9;
  CHECK_THROWS_AS(read(model), InputError);
  model = eq4_model();
  model["constants"]["categorical"][0]["levels"][0]["a"] = 0.3;
  CHECK_THROWS_AS(read(model), InputError);
  model = sum_model();
  model["constants"]["terms"][0]["a"] = 2 * model["constants"]["terms"][0]["a"].get<double>();
  CHECK_THROWS_AS(read(model), InputError);
  model = eq4_model();
  model["scaling_powers"]["workers"] = -1 + 1e-9;
  model["constants"]["categorical"][0]["levels"][1]["difference"] = 0.5 - 1e-12;
  CHECK_NOTHROW(read(model));
}

TEST_CASE("fields of a sum of products that contradict its constants are refused", "[io][multi]") {
  const nlohmann::json model = sum_model();
  check_refused(model, {{"/expression/formula",
                         "t = 3 * filters" + model["expression"]["formula"].get<std::string>(),
                         ": expression.formula: "},
                        {"/constants/terms/1/formula", "0.01 * filters",
                         ": constants.terms[1].formula: \"0.01 * filters\" contradicts"},
                        {"/scaling_powers/gpus", 5, ": scaling_powers.gpus: 5 contradicts"}});
}

TEST_CASE("a sum of products has no level twice and none without levels", "[io][multi]") {
  nlohmann::json model = sum_model();
  nlohmann::json& levels = model["constants"]["categorical"][0]["levels"];
  const nlohmann::json written = levels;
  levels.push_back(levels[0]);
  CHECK_THAT(error_of_model(model),
             EndsWith(": constants.categorical[0].levels[2]: the level 'relu' stands twice"));
  levels = nlohmann::json::array();
  CHECK_THROWS_AS(read(model), InputError);
  levels = nlohmann::json::array({written[1], written[0]});  // in any order
  CHECK_NOTHROW(read(model));
}

TEST_CASE("the levels of a derived column are numbers", "[io]") {
  const bool sum = GENERATE(false, true);
  CAPTURE(sum);
  nlohmann::json model = sum ? sum_model() : nlohmann::json::parse(test::sample_model());
  const std::string column = model["constants"]["categorical"][0]["column"];
  REQUIRE_NOTHROW(read(model));
  model["derived"] = nlohmann::json::array({{{"column", column}, {"formula", "filters > 4"}}});
  CHECK_THAT(error_of_model(model),
             EndsWith(std::string(": constants.categorical[0].levels[0]") + (sum ? "" : ".level") +
                      ": 'relu' is not a number, and the column is derived"));
}

TEST_CASE("fields that no model can have are refused by their place", "[io]") {
  const auto model_of = [](const std::string& form) {
    return nlohmann::json::parse(
        test::read_text(PERFMODEL_SOURCE_DIR "/tests/data/models/0.1.0-" + form + ".json"));
  };
  const std::vector<std::pair<std::string, std::vector<Change>>> changes = {
      {"generic",
       {{"/schema_version", 0, "there is no version 0"},
        {"/metrics/train/rows", -1, "metrics.train.rows: expected a whole number >= 0, not -1"},
        {"/constants/C_identified", 1, "constants.C_identified: expected true or false, not "},
        {"/constants/intrinsic", 1, "constants.intrinsic: expected an array, not a number"},
        {"/constants/categorical/0/levels", nlohmann::json::array(),
         "constants.categorical[0].levels: expected at least one level"},
        {"/constants/extrinsic/0/column", "kernel",
         "constants.extrinsic[0].column: the column 'kernel' already has a part in the model"},
        {"/prediction_intervals/ranks/1", 1,
         "prediction_intervals: expected ranks from 1 to count in ascending order"},
        {"/prediction_intervals/score", "ln(measured / predicted) / deviation",
         "prediction_intervals.score: expected 'ln(measured / predicted)'"}}},
      {"zeros",
       {{"/constants/intrinsic/0/range/0", -1,
         "constants.intrinsic[0].range: expected 0 <= lowest <= highest"},
        {"/constants/intrinsic/0/p", 0,
         "constants.intrinsic[0].p: expected a number > 0, since the column may be 0"}}},
      {"sum",
       {{"/constants/terms/0/log2_powers/gpus", 3,
         "constants.terms[0].log2_powers.gpus: expected 0, 1 or 2"},
        {"/constants/terms/0/regime_factors",
         {{1, 2}},
         "constants.terms[0].regime_factors: expected two factors for each of the regimes"}}},
      {"process",
       {{"/constants/process/runs/0", 0, "process.runs: expected numbers of runs, above 0 each"},
        {"/constants/process/numbers/0/column", "layer",
         "process.numbers[0].column: 'layer' is no numeric input of the model"},
        {"/constants/process/numbers/0/column", "gpus",
         "process.numbers[1].column: intrinsic columns stand before extrinsic ones"}}}};
  for (const auto& [form, of_form] : changes) {
    CAPTURE(form);
    for (const Change& change : of_form)
      check_refused(model_of(form), change);
  }
}
