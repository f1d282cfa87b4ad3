#include "cli/text_table.hpp"

#include "base/text.hpp"
#include "support/catch.hpp"

using namespace perfmodel::cli;

TEST_CASE("cells of a table are aligned by their characters", "[cli]") {
  TextTable table({Align::left, Align::right, Align::left});
  table.add({"é", "1", "x"});
  table.add({"abc", "100"});
  CHECK(table.lines(2) == std::vector<std::string>{"  \u00e9      1  x", "  abc  100"});
}

TEST_CASE("a table that is too wide wraps its texts, then puts columns below", "[cli]") {
  TextTable table({Align::left, Align::right, Align::right, Align::right});
  table.add({"configuration of a run", "first", "second", "third"});
  table.add({"a", "1000000000", "2000000000", "3000000000"});
  CHECK(table.lines(2, 200) == table.lines(2));
  CHECK(table.lines(2, 58) ==
        std::vector<std::string>{"  configuration of a         first      second       third",
                                 "  run",
                                 "  a                     1000000000  2000000000  3000000000"});
  CHECK(table.lines(2, 40) ==
        std::vector<std::string>{"  confi\u2026ration       first      second", "  of a run",
                                 "  a             1000000000  2000000000", "",
                                 "  confi\u2026ration       third", "  of a run",
                                 "  a             3000000000"});
}
