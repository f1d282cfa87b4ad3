#include "cli/terminal/text_table.hpp"

#include <algorithm>

#include "base/readable.hpp"
#include "support/catch.hpp"

using namespace perfmodel::cli;

TEST_CASE("cells of a table are aligned by their characters", "[cli]") {
  TextTable table({Align::left, Align::right, Align::left});
  table.add({"é", "1", "x"});
  table.add({"abc", "100"});
  CHECK(table.lines(2) == std::vector<std::string>{"  \u00e9      1  x", "  abc  100"});
}

TEST_CASE("a table that is too wide shortens its texts, then puts columns below", "[cli]") {
  TextTable table({Align::left, Align::right, Align::right, Align::right});
  table.add({"configuration of a run", "first", "second", "third"});
  table.add({"a", "1000000000", "2000000000", "3000000000"});
  const auto within = [&](std::size_t width) {
    std::size_t widest = 0;
    for (const auto& line : table.lines(2, width))
      widest = std::max(widest, perfmodel::display_width(line));
    return widest;
  };
  CHECK(table.lines(2, 200) == table.lines(2));
  CHECK(within(60) == 60);  // the text alone is shorter
  CHECK(table.lines(2, 60).size() == 2);
  CHECK(within(40) <= 40);
  CHECK(table.lines(2, 40) ==
        std::vector<std::string>{"  confi\u2026 a run       first      second",
                                 "  a             1000000000  2000000000", "",
                                 "  confi\u2026 a run       third", "  a             3000000000"});
}
