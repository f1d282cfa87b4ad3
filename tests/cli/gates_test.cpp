#include "cli/gates.hpp"

#include <cmath>
#include <optional>

#include "perfmodel/error.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::cli;

namespace {

Metrics sample() {
  return {
      .rows = 9, .mae = 1, .mape_percent = 10, .smape_percent = 11, .mse = 4, .rmse = 2, .r2 = 0.5};
}

bool fails(const std::string& gate, const Metrics& metrics = sample()) {
  try {
    check_gates({parse_gate(gate)}, figures_of(metrics, "the test part"));
  } catch (const GateError&) {
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a gate compares its metric with its threshold", "[cli]") {
  CHECK(fails("mape>9.9"));
  CHECK_FALSE(fails("mape>10"));
  CHECK(fails("mape>=10"));
  CHECK(fails("r2<0.51"));
  CHECK_FALSE(fails("r2<0.5"));
  CHECK(fails("r2<=0.5"));
  CHECK(fails("mae>0"));
  CHECK(fails("smape>10.5"));
  CHECK(fails("mse >= 4"));
  CHECK(fails(" rmse > 1 "));
  // An undefined r2 fails: nobody asks for it without need.
  Metrics metrics = sample();
  metrics.r2 = std::nan("");
  CHECK(fails("r2<0", metrics));
}

TEST_CASE("a condition that cannot be understood is refused", "[cli]") {
  for (const char* text : {"", "mape", ">10", "mape>", "mape=10", "mape>10>5", "Mape>10", "r2<nan",
                           "rows>10", "mape<>10"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_gate(text), UsageError);
  }
}

TEST_CASE("all gates that hold are named, also those on a command's own figures, each on its part",
          "[cli]") {
  const FurtherFigures further = {{"train.mape", "coverage"}, ", train.mape, coverage"};
  std::vector<Figure> figures = figures_of(sample(), "the training part", "train.");
  figures.push_back({"coverage", 0.7, "9 rows"});
  CHECK_NOTHROW(check_gates({parse_gate("coverage<0.5", further)}, figures));
  CHECK_THROWS_MATCHES(
      check_gates({parse_gate("train.mape>=10", further), parse_gate("train.mape>10", further),
                   parse_gate("coverage<0.8", further)},
                  figures),
      GateError,
      Catch::Matchers::Message(
          "--fail-if 'train.mape>=10' holds on the training part: train.mape is 10; "
          "--fail-if 'coverage<0.8' holds on 9 rows: coverage is 0.7"));
  CHECK_THROWS_MATCHES(
      parse_gate("width>1", further), UsageError,
      Catch::Matchers::Message(
          "--fail-if 'width>1': expected a metric (mae, mape, smape, mse, rmse, r2, train.mape, "
          "coverage), one of > >= < <= and a number, as in 'mape>10'"));
  CHECK_THROWS_MATCHES(
      check_gates({parse_gate("mape>5")}, figures), GateError,
      Catch::Matchers::Message("--fail-if 'mape>5' cannot be judged: there is no mape"));
}
