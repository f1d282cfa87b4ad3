#include "report/document.hpp"
#include "support/catch.hpp"

using perfmodel::ShownTime;

TEST_CASE("times are shown in a unit in which they are near 1 to 1000", "[cli]") {
  const auto shown = [](const std::string& unit, double time) {
    const ShownTime of(unit, time);
    return of.number(time) + " " + of.unit();
  };
  CHECK(shown("s", 0.25) == "0.25 s");
  CHECK(shown("s", 0.0166) == "16.6 ms");
  CHECK(shown("s", 0.0000166) == "16.6 us");
  CHECK(shown("s", 2e-12) == "0.002 ns");
  CHECK(shown("ms", 250) == "250 ms");  // of those who measure in ms
  CHECK(shown("ms", 25000) == "25 s");
  CHECK(shown("us", 0.02) == "20 ns");
  CHECK(shown("min", 0.001) == "0.001 min");
  CHECK(shown("", 0.001) == "0.001 ");
  CHECK(shown("s", 0) == "0 s");
  const ShownTime milliseconds("s", 0.02);
  CHECK(milliseconds.heading("MAE") == "MAE [ms]");
  CHECK(milliseconds.heading("MSE", 2) == "MSE [ms^2]");
  CHECK(milliseconds.number(4e-6, 2) == "4");
}
