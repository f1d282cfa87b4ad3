#include "cli/terminal/text_table.hpp"
#include "support/catch.hpp"

using namespace perfmodel::cli;

TEST_CASE("cells of a table are aligned by their characters", "[cli]") {
  TextTable table({Align::left, Align::right, Align::left});
  table.add({"é", "1", "x"});
  table.add({"abc", "100"});
  CHECK(table.lines(2) == std::vector<std::string>{"  \u00e9      1  x", "  abc  100"});
}
