// What a model file says beside its constants must follow from them.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "perfmodel/error.hpp"
#include "perfmodel/model.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/multi_runs.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel;

namespace {

void read(const nlohmann::json& model) {
  const test::CsvFile file(model.dump());
  read_model(file.path());
}

nlohmann::json generic_model() {
  nlohmann::json model = nlohmann::json::parse(test::sample_model());
  nlohmann::json& column = model["constants"]["categorical"][0];
  column["reference"] = "relu";
  column["levels"][0]["difference"] = 0;
  column["levels"][1]["difference"] = 0.5;
  return model;
}

nlohmann::json multi_model() {
  return nlohmann::json::parse(to_json(test::multi_runs(50, 0, 1).truth));
}

/// A change and what the message says of it.
struct Change {
  std::string place;
  nlohmann::json value;
  std::string message;
};

void check_refused(const nlohmann::json& model, const std::vector<Change>& changes) {
  REQUIRE_NOTHROW(read(model));
  for (const Change& change : changes) {
    CAPTURE(change.place);
    nlohmann::json changed = model;
    REQUIRE(changed.contains(nlohmann::json::json_pointer(change.place)));
    changed[nlohmann::json::json_pointer(change.place)] = change.value;
    CHECK_THROWS_MATCHES(read(changed), InputError,
                         Catch::Matchers::Predicate<InputError>(
                             [&](const InputError& error) {
                               return std::string(error.what()).find(change.message) !=
                                      std::string::npos;
                             },
                             "says " + change.message));
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
      generic_model(),
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

TEST_CASE("a constant that was changed alone is found out", "[io]") {
  nlohmann::json model = generic_model();
  model["constants"]["extrinsic"][0]["q"] = -0.9;
  CHECK_THROWS_AS(read(model), InputError);
  model = generic_model();
  model["constants"]["categorical"][0]["levels"][0]["a"] = 0.3;
  CHECK_THROWS_AS(read(model), InputError);
  model = multi_model();
  model["constants"]["terms"][0]["a"] = 2 * model["constants"]["terms"][0]["a"].get<double>();
  CHECK_THROWS_AS(read(model), InputError);
}

TEST_CASE("last digits of another processor contradict nothing", "[io]") {
  nlohmann::json model = generic_model();
  model["scaling_powers"]["workers"] = -1 + 1e-9;
  model["constants"]["categorical"][0]["levels"][1]["difference"] = 0.5 - 1e-12;
  CHECK_NOTHROW(read(model));
}

TEST_CASE("fields of a sum of products that contradict its constants are refused", "[io][multi]") {
  const nlohmann::json model = multi_model();
  check_refused(model, {{"/expression/formula",
                         "t = 3 * filters" + model["expression"]["formula"].get<std::string>(),
                         ": expression.formula: "},
                        {"/constants/terms/1/formula", "0.01 * filters",
                         ": constants.terms[1].formula: \"0.01 * filters\" contradicts"},
                        {"/scaling_powers/gpus", 5, ": scaling_powers.gpus: 5 contradicts"}});
}

TEST_CASE("a sum of products has no level twice and none without levels", "[io][multi]") {
  nlohmann::json model = multi_model();
  nlohmann::json& levels = model["constants"]["categorical"][0]["levels"];
  const nlohmann::json written = levels;
  levels.push_back(levels[0]);
  CHECK_THROWS_MATCHES(
      read(model), InputError, Catch::Matchers::Predicate<InputError>([](const InputError& error) {
        return std::string(error.what())
            .ends_with(": constants.categorical[0].levels[2]: the level 'relu' stands twice");
      }));
  levels = nlohmann::json::array();
  CHECK_THROWS_AS(read(model), InputError);
  levels = nlohmann::json::array({written[1], written[0]});  // in any order
  CHECK_NOTHROW(read(model));
}

TEST_CASE("the levels of a derived column are numbers", "[io]") {
  const bool sum = GENERATE(false, true);
  CAPTURE(sum);
  nlohmann::json model = sum ? multi_model() : nlohmann::json::parse(test::sample_model());
  const std::string column = model["constants"]["categorical"][0]["column"];
  REQUIRE_NOTHROW(read(model));
  model["derived"] = nlohmann::json::array({{{"column", column}, {"formula", "filters > 4"}}});
  CHECK_THROWS_MATCHES(
      read(model), InputError, Catch::Matchers::Predicate<InputError>([&](const InputError& error) {
        return std::string(error.what())
            .ends_with(std::string(": constants.categorical[0].levels[0]") + (sum ? "" : ".level") +
                       ": 'relu' is not a number, and the column is derived");
      }));
}
