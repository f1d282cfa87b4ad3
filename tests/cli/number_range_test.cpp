// Times and columns far from 1: a fit is either the one of the same runs in other units, or
// refused.
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/csv_text.hpp"
#include "support/program_fixture.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::EndsWith;
using Catch::Matchers::WithinRel;

namespace {

const std::string refusal =
    error_prefix +
    "the fit leads to figures that are too large for a number; write the times and the columns in "
    "units in which they are nearer to 1, or narrow --bounds\n";

std::string csv_of_cells(const std::vector<Words>& rows) {
  std::string text;
  for (const Words& row : rows)
    text += perfmodel::csv_line(row);
  return text;
}

/// The sample runs, all times 5 % off to either side, with `e` and a power of ten after each number
/// of one column.
std::string scaled_runs(std::size_t column, int power) {
  std::vector<Words> rows = csv_cells(sample_runs());
  std::minstd_rand random(5);
  for (std::size_t r = 1; r < rows.size(); ++r) {
    std::string& time = rows[r].back();
    time = std::to_string(std::stod(time) * (random() % 2 == 0 ? 0.95 : 1.05));
    rows[r][column] += "e" + std::to_string(power);
  }
  return csv_of_cells(rows);
}

std::string with_first_cell(std::size_t column, const std::string& value) {
  std::vector<Words> rows = csv_cells(sample_runs());
  rows[1][column] = value;
  return csv_of_cells(rows);
}

class NumberRangeTest : public ProgramTest {
 public:
  ProgramResult run_on(const std::string& runs, const Words& arguments) const {
    write("runs.csv", runs);
    return run(arguments);
  }
};

constexpr std::size_t kFilters = 0;
constexpr std::size_t kTimeS = 3;

}  // namespace

TEST_CASE_METHOD(NumberRangeTest, "numbers of which no square can be held are refused with advice",
                 "[cli]") {
  const std::vector<std::string> runs = {scaled_runs(kTimeS, 307),
                                         scaled_runs(kTimeS, 160),
                                         scaled_runs(kTimeS, -155),
                                         scaled_runs(kTimeS, -170),
                                         scaled_runs(kTimeS, -320),
                                         with_first_cell(kTimeS, "1e308"),
                                         with_first_cell(kTimeS, "5e-324"),
                                         with_first_cell(kFilters, "1e308"),
                                         with_first_cell(kFilters, "5e-324"),
                                         scaled_runs(kFilters, 200)};
  for (const Words& arguments : std::vector<std::vector<std::string>>{
           {"fit", "runs.csv", "--loss", "mae"},
           {"fit", "runs.csv", "--loss", "rmsle", "--coverage", "0.5"},
           {"fit", "runs.csv", "--expression", "multi", "--terms", "1", "--loss", "mse"},
           {"fit", "runs.csv", "--expression", "multi"},
           {"sweep", "runs.csv"},
           {"compare", "runs.csv"}}) {
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const ProgramResult result = run_on(runs[k], arguments);
      CAPTURE(arguments, k, result.errors);
      CHECK(result.exit_code == 3);
      CHECK_THAT(result.errors, EndsWith(refusal));
      CHECK(result.output.empty());
    }
  }
}

TEST_CASE_METHOD(NumberRangeTest, "far from 1 a fit is the one of the same runs in other units",
                 "[cli]") {
  const std::string form = GENERATE("generic", "multi");
  const std::string loss = GENERATE("mae", "mape", "mse", "rmsle");
  Words arguments = {"fit", "runs.csv", "--expression", form, "--loss", loss};
  if (form == "multi")
    arguments.insert(arguments.end(), {"--terms", "1"});
  const auto metrics = [&](std::size_t column, int power) {
    CAPTURE(form, loss, column, power);
    return run_on(scaled_runs(column, power), arguments).json()["metrics"]["train"];
  };
  const nlohmann::json ordinary = metrics(kTimeS, 0);
  const auto ratio = [](const nlohmann::json& of) {
    return of["rmse"].get<double>() / of["mae"].get<double>();
  };
  for (const auto& [column, power] : {std::pair(kTimeS, -148), std::pair(kTimeS, 148),
                                      std::pair(kFilters, 100), std::pair(kFilters, -100)}) {
    const nlohmann::json far = metrics(column, power);
    CAPTURE(form, loss, column, power);
    for (const char* name : {"mape_percent", "smape_percent", "r2"})
      CHECK_THAT(far[name].get<double>(), WithinRel(ordinary[name].get<double>(), 1e-3));
    CHECK_THAT(ratio(far), WithinRel(ratio(ordinary), 1e-3));
  }
}

TEST_CASE_METHOD(NumberRangeTest, "black boxes are compared on columns of any unit",
                 "[cli][compare]") {
  const auto errors = [&](int power) {
    CAPTURE(power);
    std::map<std::string, double> out;
    const nlohmann::json document =
        run_on(scaled_runs(kFilters, power),
               {"compare", "runs.csv", "--terms", "1", "--starts", "1", "--format", "json"})
            .json();
    for (const auto& model : document["models"])
      out[model["name"]] = model["metrics"]["test"]["mape_percent"];
    return out;
  };
  const auto ordinary = errors(0);
  for (const int power : {100, -100}) {
    const auto far = errors(power);
    for (const char* name : {"random forest", "gradient boosting", "SVR"}) {
      CAPTURE(power, name);
      REQUIRE(far.contains(name) == ordinary.contains(name));
      if (far.contains(name))
        CHECK_THAT(far.at(name), WithinRel(ordinary.at(name), 0.02));
    }
  }
}

TEST_CASE_METHOD(NumberRangeTest, "a penalty beyond all numbers is refused with advice", "[cli]") {
  CHECK_THAT(run_on(scaled_runs(kTimeS, 120), {"fit", "runs.csv", "--l2", "1e200", "--folds", "4"})
                 .failed(3),
             EndsWith("in units in which they are nearer to 1\n"));
}
