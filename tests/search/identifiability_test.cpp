#include <algorithm>
#include <cmath>

#include "fit/fit.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"
#include "support/planted_runs.hpp"
#include "table/expressions.hpp"

using namespace perfmodel;
using test::PaperRuns;
using test::PlantedModel;

namespace {

/// Two numeric columns, three of levels, two scales.
PlantedModel three_level_columns() {
  return {.numbers = {{"filters", 0.004, 1.3, {4, 8, 16, 32, 64}},
                      {"kernel_size", 0.05, 1.8, {2, 3, 4, 5}},
                      {"workers", 0, -0.7, {1, 2, 4, 8}},
                      {"batch_size", 0, 0.6, {8, 16, 32, 64}}},
          .levels = {{"activation", {"relu", "sigmoid", "tanh"}, {0.10, 0.45, 0.25}},
                     {"dataset", {"cifar10", "mnist"}, {0.60, 0.20}},
                     {"optimizer", {"adam", "lamb", "sgd"}, {0.40, 0.80, 0.15}}},
          .intercept = 0.3};
}

FittedModel fitted_runs(const Table& table, const FitOptions& options = {}) {
  const PaperRuns runs = test::runs_of(table);
  return fit(runs.spec, runs.design, options);
}

std::vector<std::string> messages(const FittedModel& model) {
  std::vector<std::string> out;
  for (const Warning& warning : model.warnings)
    out.push_back(warning.message);
  return out;
}

std::vector<std::string> identified(const FittedModel& model) {
  const std::vector<std::string> names = constant_names(model);
  std::vector<std::string> out;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (model.known.identifiability->constants[k])
      out.push_back(names[k]);
  return out;
}

bool all(const std::vector<bool>& values) {
  return std::all_of(
      values.begin(), values.end(), [](bool value) { return value; });
}

}  // namespace

TEST_CASE("exactly the differences of three columns of levels are determined", "[fit]") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    const FittedModel model =
        fitted_runs(test::planted_table(three_level_columns(), 400, 0.02, seed));
    CHECK(messages(model) ==
          std::vector<std::string>{
              "only differences between the levels of 'activation', 'dataset' and 'optimizer' are "
              "determined: a constant added to one column's levels can be taken from another's"});
    CHECK(identified(model) == std::vector<std::string>{"a[filters]", "a[kernel_size]",
                                                        "p[filters]", "p[kernel_size]",
                                                        "q[workers]", "q[batch_size]", "C"});
    CHECK(all(model.known.identifiability->differences));
    const Eq4Layout layout(model.spec);
    const auto level = [&](std::size_t c, std::size_t l) {
      return model.constants[static_cast<Eigen::Index>(layout.level(c, l))];
    };
    CHECK(level(0, 1) - level(0, 0) == Catch::Approx(0.35).epsilon(0.1));
    CHECK(level(2, 1) - level(2, 0) == Catch::Approx(0.40).epsilon(0.1));
  }
}

TEST_CASE("one column of levels with C beside it is determined level by level", "[fit]") {
  PlantedModel planted = three_level_columns();
  planted.levels.resize(1);
  const FittedModel model = fitted_runs(test::planted_table(planted, 400, 0.01, 1));
  CHECK(messages(model).empty());
  CHECK(all(model.known.identifiability->constants));
}

TEST_CASE("without a scale a constant moves freely between C and the levels", "[fit]") {
  PlantedModel planted = three_level_columns();
  planted.levels.resize(1);
  planted.numbers.resize(2);
  RoleRequest request;
  request.extrinsic = {"none"};
  const PaperRuns runs = test::runs_of(test::planted_table(planted, 400, 0.01, 1), request);
  const FittedModel model = fit(runs.spec, runs.design, {});
  CHECK(messages(model) ==
        std::vector<std::string>{
            "only differences between the levels of 'activation' are determined: a constant added "
            "to one column's levels can be taken from C"});
  CHECK_FALSE(model.known.identifiability->constants.back());
  CHECK(all(model.known.identifiability->differences));
}

TEST_CASE("two scales that move together are named", "[fit]") {
  Table table = test::planted_table(three_level_columns(), 300, 0.02, 1);
  Column nodes = table.at("workers");
  nodes.name = "nodes";
  for (double& value : nodes.numbers)
    value *= 4;
  table.columns.push_back(nodes);
  RoleRequest request;
  request.extrinsic = {"workers", "nodes", "batch_size"};  // otherwise one follows from the other
  const PaperRuns runs = test::runs_of(table, request);
  const FittedModel model = fit(runs.spec, runs.design, {});
  const auto found = messages(model);
  CHECK(std::count(found.begin(), found.end(),
                   "'nodes' and 'workers' move together: only their joint effect is determined") ==
        1);
  const auto names = identified(model);
  CHECK(std::count(names.begin(), names.end(), "q[workers]") == 0);
  CHECK(std::count(names.begin(), names.end(), "q[nodes]") == 0);
  CHECK(std::count(names.begin(), names.end(), "q[batch_size]") == 1);
}

TEST_CASE("columns whose levels always come together are named, and so are their differences",
          "[fit]") {
  Table table = test::planted_table(three_level_columns(), 300, 0.02, 1);
  Column image = table.at("dataset");
  image.name = "image";
  image.levels = {"large", "small"};
  table.columns.push_back(image);
  const FittedModel model = fitted_runs(table);
  const auto found = messages(model);
  CHECK(std::count(found.begin(), found.end(),
                   "'dataset' and 'image' move together: only their joint effect is determined") ==
        1);
  // activation (3), dataset (2), optimizer (3), image (2): the first of each stands at true.
  CHECK(model.known.identifiability->differences ==
        std::vector<bool>{true, true, true, true, false, true, true, true, true, false});
}

TEST_CASE("a coefficient far from the unit of its column is as uncertain as its power", "[fit]") {
  // The same runs in thousands and in ones: a power that is off by 0.05 changes a by 0.05 ln 1000.
  PlantedModel planted = {
      .numbers = {{"samples", 1, 1, {0.8, 1, 1.25}}, {"gpus", 0, -1, {1, 2, 4}}},
      .levels = {},
      .intercept = 0};
  const Table in_thousands = test::planted_table(planted, 100, 0.1, 1);
  Table in_ones = in_thousands;
  for (Column& column : in_ones.columns)
    if (column.name == "samples")
      for (double& value : column.numbers)
        value *= 1000;
  FitOptions options;
  options.form = test::within({"C=0"});
  CHECK(identified(fitted_runs(in_thousands, options)) ==
        std::vector<std::string>{"a[samples]", "p[samples]", "q[gpus]", "C"});
  CHECK(identified(fitted_runs(in_ones, options)) ==
        std::vector<std::string>{"p[samples]", "q[gpus]", "C"});
}

TEST_CASE("a column of two values gives no coefficient and no power", "[fit]") {
  PlantedModel planted = three_level_columns();
  planted.numbers[1].values = {3, 5};
  const FittedModel model = fitted_runs(test::planted_table(planted, 300, 0.02, 1));
  const auto found = messages(model);
  CHECK(std::count(found.begin(), found.end(),
                   "'kernel_size' has two values only: its coefficient and its power cannot be "
                   "told from a constant") == 1);
  const auto names = identified(model);
  CHECK(std::count(names.begin(), names.end(), "p[kernel_size]") == 0);
  CHECK(std::count(names.begin(), names.end(), "p[filters]") == 1);
}

TEST_CASE("the power of a term that takes next to no time is not determined", "[fit]") {
  PlantedModel planted = three_level_columns();
  planted.numbers.push_back({"dropout", 1e-4, 1, {0.2, 0.5, 0.8}});
  const FittedModel model = fitted_runs(test::planted_table(planted, 400, 0.05, 1));
  const auto names = identified(model);
  CHECK(std::count(names.begin(), names.end(), "p[dropout]") == 0);
  CHECK(std::count(names.begin(), names.end(), "p[filters]") == 1);
  CHECK(std::any_of(model.warnings.begin(), model.warnings.end(),
                    [](const Warning& warning) { return warning.constant == "p[dropout]"; }));
}

TEST_CASE("a constant at a bound is not identified, one with equal bounds is", "[fit]") {
  FitOptions options;
  options.form = test::within({"q.workers=-0.5:0", "q.batch_size=0.6"});
  const FittedModel model =
      fitted_runs(test::planted_table(three_level_columns(), 300, 0.02, 1), options);
  const auto names = identified(model);
  CHECK(std::count(names.begin(), names.end(), "q[workers]") == 0);
  CHECK(std::count(names.begin(), names.end(), "q[batch_size]") == 1);
}

TEST_CASE("nothing is identified by fewer rows than constants", "[fit]") {
  const FittedModel model = fitted_runs(test::planted_table(three_level_columns(), 8, 0.02, 1));
  const std::vector<bool>& determined = model.known.identifiability->constants;
  REQUIRE(static_cast<Eigen::Index>(determined.size()) == model.constants.size());
  std::size_t not_zero = 0;
  for (std::size_t k = 0; k < determined.size(); ++k) {
    // A coefficient that a bound of 0 holds may be.
    if (model.constants[static_cast<Eigen::Index>(k)] == 0)
      continue;
    ++not_zero;
    CAPTURE(constant_names(model)[k]);
    CHECK_FALSE(determined[k]);
  }
  CHECK(not_zero > 4);
}
