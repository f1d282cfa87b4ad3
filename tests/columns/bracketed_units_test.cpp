#include "columns/column_facts.hpp"
#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("a unit in brackets is the last word of a name, with or without a space", "[roles]") {
  CHECK(unit_of("Step Time (ms)") == "ms");
  CHECK(unit_of("time[ms]") == "ms");
  CHECK(is_time_name("time[ms]"));
  CHECK(unit_of("samples per (s)").empty());  // a rate
}
