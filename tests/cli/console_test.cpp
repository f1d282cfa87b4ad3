#include "support/console.hpp"

#include "support/catch.hpp"
#include "support/markdown.hpp"

using namespace perfmodel;

namespace {

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a console block is split into commands and what they show", "[cli][docs]") {
  const auto commands = test::console_commands(
      {"$ one --flag \\", "      two", "shown", "$ cat >file <<END", "> a,b", "> END", "$ last"});
  REQUIRE(commands.size() == 3);
  CHECK(commands[0].command == "one --flag \\\n      two\n");
  CHECK(commands[0].output == Lines{"shown"});
  CHECK(commands[1].command == "cat >file <<END\na,b\nEND\n");
  CHECK(commands[1].shown.size() == 3);
  CHECK(commands[2].output.empty());
}

TEST_CASE("an output is compared line by line, a cut stands for any lines", "[cli][docs]") {
  const Lines actual = {"a 1", "b 2", "c 3"};
  CHECK(test::shows(actual, actual));
  CHECK(test::shows({"a 1", "  ...", "c 3"}, actual));
  CHECK(test::shows({"..."}, actual));
  CHECK(test::shows({"a 1", "b 2", "c 3", "..."}, actual));
  CHECK_FALSE(test::shows({"a 1", "b 2"}, actual));
  CHECK_FALSE(test::shows({"a 1", "b 2.5", "c 3"}, actual));
  CHECK_FALSE(test::shows({"...", "b 2"}, actual));
  CHECK_FALSE(test::shows({}, actual));
}

TEST_CASE("within a line, a cut stands for any text, and a number may be near another",
          "[cli][docs]") {
  CHECK(test::shows({"warning: ... rows (a.csv)"}, {"warning: 12 of 40 rows (a.csv)"}));
  CHECK_FALSE(test::shows({"warning: ... rows (a.csv)"}, {"warning: 12 of 40 rows (aacsv)"}));
  CHECK(test::shows({"C  ~0.2 ±1%  end"}, {"C     0.2019  end"}));
  CHECK(test::shows({"~-20 ±3 and ~1e-3±5%"}, {"-17.5 and 0.00104"}));
  CHECK_FALSE(test::shows({"C  ~0.2 ±1%  end"}, {"C  0.2021  end"}));
  CHECK_FALSE(test::shows({"C  ~0.2 ±1%  end"}, {"C  nan  end"}));
  CHECK(test::shows({"about ~3 of 4"}, {"about ~3 of 4"}));
  CHECK_FALSE(test::shows({"about ~3 of 4"}, {"about 3 of 4"}));
}

TEST_CASE("a difference is shown among the lines around it, and what a cut took", "[cli][docs]") {
  CHECK(test::differences({"a", "...", "c", "e"}, {"a", "b", "c", "d"}) ==
        Lines{"  a", ". b", "  c", "- e", "+ d"});
}

TEST_CASE("times taken and the last digits are not compared, the other figures are",
          "[cli][docs]") {
  CHECK(test::shows({"converged after 12 generations, 60 evaluations, 0.35 s"},
                    {"converged after 13 generations, 65 evaluations, 12 ms"}));
  CHECK(test::shows({"0.018152809714556094"}, {"0.018152809714999999"}));
  CHECK_FALSE(test::shows({"0.018152809714556094"}, {"0.018153809714556094"}));
  CHECK_FALSE(test::shows({"q -0.25"}, {"q -0.26"}));
  CHECK(test::shows({"model    MAPE  fit [s]", "forest  4.9 %     0.21"},
                    {"model    MAPE    fit [s]", "forest  4.9 %  0.0002754"}));
  CHECK_FALSE(test::shows({"model    MAPE  fit [s]", "forest  4.9 %     0.21"},
                          {"model    MAPE  fit [s]", "forest  5.9 %     0.21"}));
}

TEST_CASE("a refreshed output keeps the cuts of the old one", "[cli][docs]") {
  const Lines old = {"head", "...", "q  1.5", "p  2", "...", "errors 12 %", "end"};
  const Lines now = {"head", "new", "x", "q  17", "n  3", "p  25", "y", "errors 9 %", "end"};
  CHECK(test::with_the_cuts_of(old, now) ==
        Lines{"head", "...", "q  17", "n  3", "p  25", "...", "errors 9 %", "end"});
  CHECK(test::with_the_cuts_of({"head", "...", "gone"}, {"head", "end"}) == std::nullopt);
  CHECK(test::with_the_cuts_of({"...", "gone", "..."}, now) == std::nullopt);
  CHECK(test::with_the_cuts_of({}, now) == now);
}

TEST_CASE("links and headings of a page are found outside of code", "[cli][docs]") {
  const Lines page = {"# What to trust?", "see [x](a.md#b) and ![y](c.png)",
                      "`[no](d.md)`",     "```text",
                      "[no](e.md)",       "```"};
  CHECK(test::link_targets(page) == Lines{"a.md#b", "c.png"});
  CHECK(test::heading_anchors(page) == std::set<std::string>{"what-to-trust"});
  REQUIRE(test::fenced_blocks(page).size() == 1);
  CHECK(test::fenced_blocks(page)[0].language == "text");
  CHECK(test::fenced_blocks(page)[0].first == 4);
}
