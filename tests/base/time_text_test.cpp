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

TEST_CASE("seconds that four digits do not show are hours", "[words]") {
  CHECK(time_text(9999, "s") == "9999 s");
  CHECK(time_text(139807, "s") == "38.84 h");
  CHECK(time_text(12e6, "ms") == "3.333 h");
  CHECK(time_text(12e6, "h") == "1.2e+07 h");
}

TEST_CASE("bytes are shown in the unit in which they were written", "[words]") {
  const Unit gibibytes("B", "GiB");
  CHECK(time_text(801.03 * 0x1p30, gibibytes) == "801 GiB");
  CHECK(time_range_text(0.5 * 0x1p30, 2000 * 0x1p30, gibibytes) == "0.5 .. 2000 GiB");
  // Where that would be unreadable, in another one of the powers of 1024, or of 1000.
  CHECK(time_text(20 * 0x1p20, gibibytes) == "20 MiB");
  CHECK(time_text(0x1p44, gibibytes) == "16 TiB");
  CHECK(time_text(2.5e8, Unit("B", "GB")) == "0.25 GB");
  CHECK(time_text(2.5e7, Unit("B", "GB")) == "25 MB");
  CHECK(time_text(2.5e9, "B") == "2.5 GB");
  CHECK(time_text(9420, "MB") == "9420 MB");
  CHECK(time_text(94200, "MB") == "94.2 GB");
  CHECK(time_text(3, Unit("B", "parsecs")) == "3 B");
}
