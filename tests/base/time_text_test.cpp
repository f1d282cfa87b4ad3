#include "base/text.hpp"

#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("times are shown in the largest unit in which they are 1 or more", "[words]") {
  CHECK(time_text(1.5, "s") == "1.5 s");
  CHECK(time_text(0.00157, "s") == "1.57 ms");
  CHECK(time_text(1e-6, "s") == "1 us");
  CHECK(time_text(3e-12, "s") == "0.003 ns");
  CHECK(time_text(2500, "ms") == "2.5 s");
  CHECK(time_text(0.5, "us") == "500 ns");
  CHECK(time_text(0, "s") == "0 s");
  CHECK(time_range_text(0.0005, 0.002, "s") == "0.5 .. 2 ms");
  // A label that is no known unit, and none, stay as they are.
  CHECK(time_text(0.001, "hours") == "0.001 hours");
  CHECK(time_text(0.001, "") == "0.001");
}
