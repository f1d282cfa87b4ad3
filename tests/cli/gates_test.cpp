#include "cli/gates.hpp"

#include <cmath>
#include <optional>

#include "perfmodel/base/error.hpp"
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
    check_gates({parse_gate(gate)}, metrics, "the test part");
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
}

TEST_CASE("an undefined r2 fails its gate, since nobody asks for it without need", "[cli]") {
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

TEST_CASE("all gates that hold are named with their figures", "[cli]") {
  CHECK_THROWS_MATCHES(
      check_gates({parse_gate("mape>5"), parse_gate("mse>5"), parse_gate("r2<0.9")}, sample(),
                  "the test part"),
      GateError,
      Catch::Matchers::Message("--fail-if 'mape>5' holds on the test part: mape is 10; "
                               "--fail-if 'r2<0.9' holds on the test part: r2 is 0.5"));
}
