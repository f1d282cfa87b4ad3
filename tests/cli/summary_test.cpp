#include "cli/summary.hpp"

#include "cli/text_table.hpp"
#include "support/catch.hpp"

using namespace perfmodel::cli;

TEST_CASE("scaling powers are read in plain words", "[cli]") {
  CHECK(scaling_in_words(-0.12) == "far from ideal -1: doubling it cuts the scalable part by 8 %");
  CHECK(scaling_in_words(-1) == "ideal: doubling it cuts the scalable part by 50 %");
  CHECK(scaling_in_words(-0.85) == "close to ideal -1: doubling it cuts the scalable part by 45 %");
  CHECK(scaling_in_words(-0.6) == "short of ideal -1: doubling it cuts the scalable part by 34 %");
  CHECK(scaling_in_words(-1.5) == "beyond ideal -1: doubling it cuts the scalable part by 65 %");
  CHECK(scaling_in_words(0.69) == "doubling it costs 61 % more");
  CHECK(scaling_in_words(0) == "no effect: doubling it leaves the time as it is");
}

TEST_CASE("cells of a table are aligned by their characters", "[cli]") {
  TextTable table({Align::left, Align::right, Align::left});
  table.add({"é", "1", "x"});
  table.add({"abc", "100"});
  CHECK(table.lines(2) == std::vector<std::string>{"  \u00e9      1  x", "  abc  100"});
}

TEST_CASE("long names are shortened in their middle", "[cli]") {
  CHECK(clipped("short", 5) == "short");
  CHECK(clipped("abcdefghij", 5) == "ab\u2026ij");
  CHECK(display_width(clipped("ääääääääääää", 7)) == 7);
}
